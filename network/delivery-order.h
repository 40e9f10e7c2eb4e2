// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/message.h"

#include <cstdint>

namespace nadi
{

/// Where the delivery of a message stands among those of its instant: by destination, source,
/// stream and key (docs/semantics.md 1, T4).
constexpr EventOrder
MakeDeliveryOrder(const Message& message)
{
    const uint64_t ends = uint64_t{message.destination.value} << 32 | message.source.value;
    return {EventOrder::Kind::Delivery,
            {ends, message.stream.value, message.key.major, message.key.minor}};
}

} // namespace nadi
