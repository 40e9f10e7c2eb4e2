// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "tests/support/packet-forms.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

/// One collective on one dimension, in shapes, sizes and frames drawn from a seed.
inline PacketCase
DrawCase(const std::string& algorithm, CollectiveType type, uint64_t seed)
{
    const auto draw = [&](uint64_t purpose) {
        return Hash64({seed, purpose, static_cast<uint64_t>(type)});
    };
    const std::vector<std::string> shapes{"ring", "switch", "fully-connected", "mesh"};
    const std::vector<int64_t> sizes{0, 1, 13, 4096, 30'000, 262'144};
    PacketCase net{.shape = shapes[draw(1) % shapes.size()],
                   .ranks = static_cast<uint32_t>(2 + draw(2) % 12),
                   .type = type,
                   .algorithm = algorithm,
                   .size = Bytes(sizes[draw(3) % sizes.size()])};
    net.payload = Bytes(draw(4) % 2 == 0 ? 4096 : 1000);
    net.header = Bytes(draw(5) % 3 == 0 ? 0 : 64);
    net.latency = SimTime::FromNs(static_cast<int64_t>(draw(6) % 600));
    net.endpointDelay = SimTime::FromNs(draw(7) % 2 == 0 ? 0 : 10);
    net.size = type == CollectiveType::Barrier ? Bytes(0) : net.size;
    return net;
}

} // namespace nadi::test
