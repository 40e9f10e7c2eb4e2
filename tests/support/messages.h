// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"

#include <cstdint>

namespace nadi
{

/// A message from one rank to another; streams and keys tell messages apart.
inline Message
MakeMessage(uint32_t source, uint32_t destination, Bytes size, uint64_t stream = 0)
{
    Message message;
    message.source = VertexId{source};
    message.destination = VertexId{destination};
    message.size = size;
    message.stream = StreamId{stream};
    return message;
}

} // namespace nadi
