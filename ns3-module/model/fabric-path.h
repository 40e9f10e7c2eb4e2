// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PATH_H
#define FABRIC_PATH_H

#include "fabric-frame.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The links of a flow in one direction: for each node on the way but the last, by which of its
/// ports frames leave it, and in which class of traffic. FabricNode::GetHop finds the port itself.
///
/// The first hops are in the object, as most paths are short: to forward a frame then reads the
/// record of its flow and nothing else that is the flow's own. A hop takes 4 bytes: 29 bits for the
/// number of the port, 3 for the priority.
class FabricPath
{
  public:
    /// Hops that the object itself has room for.
    static constexpr uint32_t NEAR = 6;

    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// How many links it has.
    uint32_t GetSize() const
    {
        return m_size;
    }

    /// Number, in its node, of the port by which frames leave the `index`-th node.
    /// Requires: index < GetSize().
    uint32_t GetPort(uint32_t index) const
    {
        return Get(index) >> PRIORITY_BITS;
    }

    /// In which class. Requires: index < GetSize().
    FabricPriority GetPriority(uint32_t index) const
    {
        return static_cast<FabricPriority>(Get(index) & (FABRIC_PRIORITIES - 1));
    }

    /// Whether load balancing may lead frames on other ways than this one: a node that they cross
    /// balances load and has several equally good ports.
    bool HasChoice() const
    {
        return m_hasChoice;
    }

    void NoteChoice()
    {
        m_hasChoice = true;
    }

    void Clear()
    {
        m_size = 0;
        m_hasChoice = false;
        m_far = nullptr;
    }

    /// Appends a hop. Requires: port < 2^29.
    void Add(uint32_t port, FabricPriority priority)
    {
        const uint32_t hop = port << PRIORITY_BITS | priority;
        if (m_size < NEAR)
        {
            m_near[m_size++] = hop;
            return;
        }
        AddFar(hop);
    }

  private:
    static constexpr uint32_t PRIORITY_BITS = 3;

    static_assert(FABRIC_PRIORITIES <= 1U << PRIORITY_BITS, "priorities need more bits");

    uint32_t Get(uint32_t index) const
    {
        return index < NEAR ? m_near[index] : (*m_far)[index - NEAR];
    }

    void AddFar(uint32_t hop)
    {
        if (!m_far)
        {
            m_far = std::make_unique<std::vector<uint32_t>>();
        }
        m_far->push_back(hop);
        ++m_size;
    }

    std::array<uint32_t, NEAR> m_near{};
    uint32_t m_size = 0;
    bool m_hasChoice = false;
    std::unique_ptr<std::vector<uint32_t>> m_far; ///< the others; null: none
};

} // namespace ns3

#endif /* FABRIC_PATH_H */
