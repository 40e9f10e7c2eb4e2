// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FLOW_TABLE_H
#define FABRIC_FLOW_TABLE_H

#include "fabric-flow.h"

#include "ns3/fabric-queue-pair.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The records of flows by index, and their queue pairs. Records stay where they are, and are used
/// again. They are apart from the queue pairs in memory, so that those of many flows share a page:
/// most hops of a frame read its record and not its queue pair.
///
/// Memory: as many records as there were flows at once, at most.
class FabricFlowTable
{
  public:
    FabricFlow& operator[](uint32_t flow)
    {
        return m_flows[flow / CHUNK][flow % CHUNK];
    }

    const FabricFlow& operator[](uint32_t flow) const
    {
        return m_flows[flow / CHUNK][flow % CHUNK];
    }

    /// Has the record fetched into the caches, if there is one of this index.
    void Prefetch(uint32_t flow) const
    {
        if (flow < m_size)
        {
            __builtin_prefetch(&(*this)[flow]);
        }
    }

    /// Takes a free record, and makes its queue pair. \return Its index.
    uint32_t Open(const FabricFlowKey& key, const FabricProtocol& protocol);

    /// Ends the queue pair of a record, which is free again.
    void Close(uint32_t flow);

    void Clear();

    /// More than any index that is in use.
    uint32_t GetSize() const
    {
        return m_size;
    }

    /// Records that are in use.
    uint32_t GetNOpen() const
    {
        return m_size - static_cast<uint32_t>(m_free.size());
    }

    /// Calls `visit(flow)` for each record in use, in the order of indices.
    template <class Visitor>
    void Visit(Visitor visit) const
    {
        for (uint32_t i = 0; i < m_size; ++i)
        {
            if ((*this)[i].queuePair != nullptr)
            {
                visit((*this)[i]);
            }
        }
    }

  private:
    using PlaceOfPair = std::optional<FabricQueuePair>;

    /// A power of two, so that a record is found without a division.
    static constexpr uint32_t CHUNK = 1024;

    PlaceOfPair& GetPlace(uint32_t flow)
    {
        return m_pairs[flow / CHUNK][flow % CHUNK];
    }

    uint32_t TakeFree();

    std::vector<std::unique_ptr<FabricFlow[]>> m_flows;  ///< in chunks
    std::vector<std::unique_ptr<PlaceOfPair[]>> m_pairs; ///< likewise; empty: the record is free
    std::vector<uint32_t> m_free;
    uint32_t m_size = 0; ///< records that were ever used
};

} // namespace ns3

#endif /* FABRIC_FLOW_TABLE_H */
