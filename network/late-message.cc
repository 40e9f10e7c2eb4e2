// SPDX-License-Identifier: GPL-2.0-only
#include "network/late-message.h"

#include "common/unit-parser.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nadi
{

void
ThrowTooLate(const Topology& topology, const Message& message)
{
    throw std::overflow_error(fmt::format("a message of {} from {} to {} arrives too late",
                                          ToText(message.size),
                                          topology.Vertex(message.source).name,
                                          topology.Vertex(message.destination).name));
}

} // namespace nadi
