"""The ghostty engine, based on libghostty-vt.

``engine`` is the engine itself. ``grid`` reads cells, ``checkpoint`` packs and repairs snapshots, ``unsupported`` finds
sequences that the library does not execute, ``keys`` encodes keys, ``state`` reads numbers and modes, ``native`` wraps
the library and its callbacks, and ``binding`` loads it with the generated ``declarations``.
"""
