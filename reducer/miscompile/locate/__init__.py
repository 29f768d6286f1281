"""From a wrong result to the dispatch, the phase or the pass that is at fault."""
