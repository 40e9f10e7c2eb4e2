// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FLOWLET_BALANCER_H
#define FABRIC_FLOWLET_BALANCER_H

#include "fabric-load-balancer.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace ns3
{

/// \ingroup fabric
/// Keeps the frames of a flow on one way as long as they follow each other closely. A frame that
/// comes later than the gap after the one before it begins a new flowlet, which goes by the hash of
/// this first frame: if the gap is longer than the ways differ in delay, nothing is overtaken.
///
/// Holds: the table has at most twice the flows that had a frame within the last gap when it was
/// cleaned, or MIN_TABLE. What is thrown out is older than the gap and would have begun a new
/// flowlet in any case, so no pick depends on when the table is cleaned.
class FabricFlowletBalancer : public FabricLoadBalancer
{
  public:
    static constexpr std::size_t MIN_TABLE = 64;

    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;

    /// Requires: question.now never decreases.
    uint32_t Pick(const Question& question) override;

    /// Flows that are remembered.
    std::size_t GetNFlows() const
    {
        return m_flowlets.size();
    }

  private:
    /// The present flowlet of a flow.
    struct Flowlet
    {
        int64_t last; ///< when its latest frame came, in picoseconds
        uint64_t hash;
    };

    bool IsOver(const Flowlet& flowlet, int64_t now) const
    {
        return now - flowlet.last > m_gap.GetTimeStep();
    }

    void ForgetOver(int64_t now);

    Time m_gap;
    std::unordered_map<uint64_t, Flowlet> m_flowlets; ///< by identity of the flow
    std::size_t m_cleanAt = MIN_TABLE;                ///< size of the table
};

} // namespace ns3

#endif /* FABRIC_FLOWLET_BALANCER_H */
