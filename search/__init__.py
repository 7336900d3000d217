"""The search: limits, scheduling, ranking and arena. Knows games only through the contract in `ext.game`."""
