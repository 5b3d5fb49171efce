"""The compiled loops: integers and floats in, integers and floats out; no policy, no strings.

Each kernel has a plain twin in ``tests/oracle`` that it must equal. They run without the interpreter's lock, are
compiled on first use and kept in numba's cache.
"""
