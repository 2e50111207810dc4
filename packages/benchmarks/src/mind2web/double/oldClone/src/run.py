"""A double of run.py before format v2."""
