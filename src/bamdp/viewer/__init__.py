"""The live viewer, `bamdp watch`: a run in the browser, or two side by side, with the belief and the search behind decisions.

A page asks (`messages`), the server answers with frames (`server`, `player`); a frame is what there is to see of the runs now
(`stage`, `watched`): the decision (`decision`), drawings of the world and the belief (`bamdp.pictures.views`) and the
picture that Gymnasium draws (`pictures`). `film` makes a film of them. Needs the extra `viewer`.
"""
