"""What people type as a time, and what is made of it: by the page as by all programs."""

CLEAR = [
    ("5m+3s", "300+3"),
    ("5m+3", "300+3"),
    ("10m", "600"),
    ("10s", "10"),
    ("5 min", "300"),
    ("5 minutes + 3 seconds", "300+3"),
    ("5 MIN", "300"),
    ("1m30s", "90"),
    ("0.5m", "30"),
    ("1.5s+0.01s", "1.5+0.01"),
    ("40/90m+30s:30m+30s", "40/5400+30:1800+30"),
    ("15m/5x30s", "900/5x30"),
    ("10m|5m", "600|300"),
    ("10s|5m+3", "10|300+3"),
    ("2mh", "120h"),
    ("5md3s", "300d3"),
    # Clear without a unit.
    ("60", "60"),
    ("300+3", "300+3"),
    ("1+0.01", "1+0.01"),
    ("0.5", "0.5"),
    ("0d10", "0d10"),
    ("0/3x5", "0/3x5"),
    ("60h", "60h"),
    ("3days", "3days"),
    ("1day", "1day"),
    ("movetime=5", "movetime=5"),
    ("depth=8", "depth=8"),
    ("mate=3", "mate=3"),
    ("inf", "inf"),
    # No time control: that the server says.
    ("soon", "soon"),
]
"""As typed, and on the wire."""

REFUSED = [
    ("10", "10 may mean minutes or seconds: write 10m or 10s"),
    ("5+3", "5+3 may mean minutes or seconds: write 5m+3s or 5s+3s"),
    (" 5 + 3 ", "5 + 3 may mean minutes or seconds: write 5m+3s or 5s+3s"),
    ("59d2", "59d2 may mean minutes or seconds: write 59md2s or 59sd2s"),
    ("40/15", "40/15 may mean minutes or seconds: write 40/15m or 40/15s"),
    (
        "40/90+30:30",
        "40/90+30:30 may mean minutes or seconds: write 40/90s+30s:30m or 40/90s+30s:30s",
    ),
    ("15/5x30", "15/5x30 may mean minutes or seconds: write 15m/5x30 or 15s/5x30"),
    ("5m|3", "5m|3 may mean minutes or seconds: write 300s|3m or 300s|3s"),
    (
        "5|3",
        "write 5m+3s for 5 minutes and 3 seconds a move, or 5m|3m if White has 5 minutes and"
        " Black 3, not 5|3",
    ),
    ("15 10", "write 15m+10s for 15 minutes and 10 seconds a move, not 15 10"),
    ("15 min 10 sec", "write 15m+10s for 15 minutes and 10 seconds a move, not 15 min 10 sec"),
    ("5,3", "write 5m+3s for 5 minutes and 3 seconds a move, not 5,3"),
    ("1h", "write 60m for hours, or 1sh for an hourglass in seconds, not 1h"),
    ("a while", "a while is no time control such as 5m+3s, 90s, 40/90m+30s or 3days"),
    ("", "nothing is no time control such as 5m+3s, 90s, 40/90m+30s or 3days"),
]
"""As typed, and what is said of it."""
