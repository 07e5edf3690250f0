"""Tests of the scripts that draw the editor and the runs."""
