"""The live viewer, `bamdp watch`: one run in the browser, with the belief and the search behind every decision.

A page asks (`messages`), the server answers with frames (`server`, `player`); a frame is what there is to see of a run now
(`watched`): the decision (`decision`), the world (`worlds`) and the belief (`beliefs`). Needs the extra `viewer`.
"""
