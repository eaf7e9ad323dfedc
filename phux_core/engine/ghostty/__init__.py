"""The ghostty engine, based on libghostty-vt.

``engine`` is the engine itself. ``grid`` reads cells, ``checkpoint`` packs and repairs snapshots, ``unsupported`` finds
sequences that the library does not execute, ``keys`` encodes keys, ``state`` reads numbers and modes, and ``native``
loads the library with the generated ``declarations`` and wraps it.
"""
