"""The ghostty engine: libghostty-vt behind the engine protocol.

``engine`` is the engine itself. ``grid`` reads cells, ``checkpoint`` packs and repairs snapshots, ``unsupported`` finds
sequences that the library does not execute, ``keys`` encodes keys, ``state`` reads numbers and modes, ``native`` holds
the library with its callbacks, and ``binding`` loads it by means of the generated ``declarations``.
"""
