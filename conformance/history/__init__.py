"""What each release of a framework answered: kept from logs in one file, and asked over all releases at once."""
