"""What a security team runs before it believes us: attacks, peers, scoring, figures, reports."""
