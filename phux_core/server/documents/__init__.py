"""Documents of panes and of the tree, as calls return them."""
