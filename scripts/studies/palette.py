# SPDX-License-Identifier: GPL-2.0-only
"""The colours of figures and of reports.

Series have the palette of Okabe and Ito, which people with colour blindness can tell apart. Shares
have cividis, whose lightness grows with the share, so that it also reads in grey.
"""

SERIES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#999999")
SHARES = ("#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369",
          "#E1CC55", "#FEE838")  # fmt: skip
EXPOSED = "#D55E00"  # parts of a rank's time have the same colours everywhere
COMPUTE = "#0072B2"
IDLE = "#999999"
