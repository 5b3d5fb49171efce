"""Pages of the app: one module for each step; they show and ask, and the library and its jobs compute."""
