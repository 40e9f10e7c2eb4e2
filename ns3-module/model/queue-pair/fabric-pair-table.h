// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PAIR_TABLE_H
#define FABRIC_PAIR_TABLE_H

#include "ns3/fabric-flow.h"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The queue pairs of a fabric that were opened and whose streams are not closed: by handle, listed
/// by stream.
///
/// The object of a queue pair (FabricQueuePair) exists only while it is needed. In between, what
/// the table keeps of it is enough to continue from: the count of the frames that it has sent.
/// FabricQueuePair::CanRest says why.
///
/// Holds: the table has 16 bytes for each queue pair, where the object and the record of its flow
/// have half a kilobyte. In an all-to-all of 4096 NPUs, the 4095 queue pairs of each NPU take 64 kB
/// here, and would take 2 MB as objects.
class FabricPairTable
{
  public:
    /// Instead of the index of a flow: there is no object at present.
    static constexpr uint32_t NO_FLOW = std::numeric_limits<uint32_t>::max();

    /// Lists a queue pair that has sent nothing. Requires: its stream has none of this key.
    FabricPairHandle Open(const FabricFlowKey& key);

    FabricFlowKey GetKey(FabricPairHandle handle) const;

    /// Index of the flow record of its object; NO_FLOW: there is none.
    uint32_t GetFlow(FabricPairHandle handle) const
    {
        const uint64_t state = Get(handle).state;
        return (state & HAS_OBJECT) != 0 ? static_cast<uint32_t>(state) : NO_FLOW;
    }

    /// How many frames it had sent when its object was given back. Requires: it has no object.
    uint64_t GetFrames(FabricPairHandle handle) const
    {
        return Get(handle).state;
    }

    /// Its object was made, with this flow record.
    void SetFlow(FabricPairHandle handle, uint32_t flow)
    {
        Get(handle).state = HAS_OBJECT | flow;
    }

    /// Its object was given back, after so many frames.
    void SetFrames(FabricPairHandle handle, uint64_t frames)
    {
        Get(handle).state = frames;
    }

    /// Forgets the queue pairs of a stream, at the cost of these alone. Their handles are void.
    /// \return The flow records of those that had an object.
    std::vector<uint32_t> Close(uint64_t stream);

    /// The queue pairs that all calls of Close have looked at.
    uint64_t GetNCloseSteps() const
    {
        return m_closeSteps;
    }

  private:
    static constexpr uint64_t HAS_OBJECT = uint64_t{1} << 63;

    struct Pair
    {
        uint32_t source;
        uint32_t destination;
        uint64_t state; ///< HAS_OBJECT and the index of a flow record, or a count of frames
    };

    struct Stream
    {
        uint64_t name = 0;
        std::vector<Pair> pairs; ///< empty: the place is free
    };

    Pair& Get(FabricPairHandle handle)
    {
        return m_streams[handle.stream].pairs[handle.pair];
    }

    const Pair& Get(FabricPairHandle handle) const
    {
        return m_streams[handle.stream].pairs[handle.pair];
    }

    uint32_t FindOrMakeStream(uint64_t name);

    std::vector<Stream> m_streams;
    std::vector<uint32_t> m_freeStreams;
    std::unordered_map<uint64_t, uint32_t> m_places; ///< of the open streams, by name
    uint64_t m_closeSteps = 0;
};

} // namespace ns3

#endif /* FABRIC_PAIR_TABLE_H */
