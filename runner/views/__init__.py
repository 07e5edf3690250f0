"""The pages: templates filled from rows, and forms that call services. No rule of runs lives here."""
