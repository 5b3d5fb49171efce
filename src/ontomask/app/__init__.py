"""The app: projects on disk, jobs in processes of their own, a REST interface and pages. It computes nothing itself.

Pages and REST are two views of one workspace; each calls what the command line calls.
"""
