"""What a study is made of, one file each: `perform(settings, seed, run)` gives the result of one task of that kind."""
