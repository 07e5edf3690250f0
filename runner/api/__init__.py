"""Endpoints of runs, approvals and the catalog. No rule of runs lives here: services decide, serializers tell."""
