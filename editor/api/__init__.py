"""Endpoints of flows, and what all endpoints of the site share: doors, JSON, pages of lists, their documentation."""
