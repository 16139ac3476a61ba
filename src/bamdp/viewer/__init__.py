"""The live viewer, `bamdp watch`: a run in the browser, or two side by side, with the belief and
the search behind decisions.

A page sends `messages`; the `server` passes them to the page's `player`, which answers with frames.
A frame is what there is to see of the runs now (`stage`): the decision (`decision`) and drawings of
the world and the belief (`bamdp.pictures.views`). `film` makes a film of the runs. Needs the extra
`viewer`.
"""
