// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"

#include <ns3/fabric.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// Which queue pair of the fabric carries a message: the handles of those that are open, by stream,
/// then by the ends.
///
/// Messages name their queue pair by (source, destination, stream); the fabric knows handles only.
/// To close a stream costs its own queue pairs, and gives their memory back. A queue pair takes 6
/// to 11 bytes here: the tables hold places in the fabric's list of the stream, and the ends are
/// looked up there.
class OpenPairs
{
  public:
    explicit OpenPairs(ns3::Ptr<ns3::Fabric> fabric);

    /// The queue pair of this message, if it is open.
    std::optional<ns3::FabricPairHandle> Find(const Message& message) const;

    /// The queue pair of this message; opened if there is none.
    ns3::FabricPairHandle FindOrOpen(const Message& message);

    /// No more messages will be sent on `stream`.
    void CloseStream(StreamId stream);

  private:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    /// A hash table with open addressing; a power of two of places, at most three quarters taken.
    struct Stream
    {
        uint32_t stream = 0; ///< of the handles
        uint32_t count = 0;
        std::vector<uint32_t> pairs = std::vector<uint32_t>(4, NONE); ///< of the handles
    };

    size_t FindPlace(const Stream& stream, uint64_t ends) const;
    uint64_t EndsOf(ns3::FabricPairHandle handle) const;
    void Grow(Stream& stream) const;

    ns3::Ptr<ns3::Fabric> m_fabric;
    std::unordered_map<uint64_t, Stream> m_streams;
};

} // namespace nadi
