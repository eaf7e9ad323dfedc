"""The pyte engine: a terminal in pure Python, built on the pyte package.

``engine`` is the engine itself. ``stream`` splits bytes into text and sequences, ``dispatch`` looks up their meaning,
and ``terminal``, ``screen`` and ``replies`` execute them. ``rows``, ``styles`` and ``widths`` are the grid, ``history``
and ``bulk`` the scrollback, ``reflow`` resizes, ``read`` reads, ``keys`` encodes keys, and ``state`` packs checkpoints.
"""
