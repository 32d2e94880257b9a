"""The steps of an examination: each asks an engine and judges its answers. One function a step.

* `common`: steps that UCI, ULCI and UGI share; `chess`, `ugi`, `uti`: steps of single protocols.
* `conversation`: steps that judge all lines before; `lint`: faults of single lines.
"""
