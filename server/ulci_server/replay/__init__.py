"""A recorded server, held again: does it say the same, byte for byte?

* `tape`: the file format; `recording`: writes it; `stand_ins`, `replaying`: hold it again without
  network, clock or database; `replay_diff`: the first difference.
"""
