# SPDX-License-Identifier: GPL-2.0-only
"""How a row is simulated: packet by packet, as flows, or not at all."""

from .workload import bytes_sent

MOST_BYTES = 32 << 30  # of all ranks together: some seconds of simulated packets
# Beyond these the messages alone are too many: an all-to-all has one for each pair of ranks, all
# under way at once.
MOST_RANKS = 1024
MOST_RANKS_OF_ALL_TO_ALL = 128

PACKET, FLOW, CLOSED_FORM = "packet", "flow", "closed-form"
RULE = (
    "Rows are simulated packet by packet (packet) while all ranks together send at most "
    f"{MOST_BYTES >> 30} GiB, and as flows at max-min fair rates (flow) beyond. Tables of more "
    f"than {MOST_RANKS} ranks, and all-to-alls of more than {MOST_RANKS_OF_ALL_TO_ALL}, have too many "
    "messages; they are predicted by the closed form of the library model (closed-form)."
)


def needs_closed_form(side):
    all_to_all = side.collective == "all-to-all"
    return side.ranks > (MOST_RANKS_OF_ALL_TO_ALL if all_to_all else MOST_RANKS)


def choose_backend(side, size):
    """Of a row that is simulated."""
    return PACKET if bytes_sent(side, size) <= MOST_BYTES else FLOW
