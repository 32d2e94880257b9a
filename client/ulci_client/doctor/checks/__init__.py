"""What is asked of an engine, and what is wrong with its answers? One function a step.

* `common`: what UCI, ULCI and UGI share; `chess`, `ugi`, `uti`: what one of them has alone.
* `conversation`: what is judged of all that was said before; `lint`: what is wrong with a line.
"""
