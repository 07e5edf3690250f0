"""What the tests stand on: servers, sites and browsers. No test lives here."""
