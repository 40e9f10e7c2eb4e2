// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/spine-tier.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

namespace nadi
{

/// Two tiers: NPUs on leaves, leaves on spines.
///
/// NPU r hangs on leaf r / npus-per-leaf; two links lead to an NPU of the same leaf, four to any
/// other, by any spine. A leaf is oversubscribed by
/// npus-per-leaf * link.bandwidth / (spines * uplinks-per-spine * uplink.bandwidth).
///
/// Switches: leaf0, ..., spine0, ... Links: those of the NPUs in rank order, then the uplinks.
class LeafSpineGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help = "Two tiers of switches: NPUs are attached to leaf "
                                        "switches, and every leaf is joined to every spine switch.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount("npus", "The number of NPUs."),
             RequiredCount("npus-per-leaf",
                           "The number of NPUs on each leaf switch. It must divide npus."),
             RequiredLink("link", "between an NPU and its leaf"),
             SpineTier::Specs("link")});
    }

    explicit LeafSpineGenerator(const Parameters& parameters)
        : m_npus(GetCount(parameters, "npus", 1))
        , m_npusPerLeaf(GetCount(parameters, "npus-per-leaf", 1))
        , m_rate(GetLink(parameters, "link"))
        , m_spines(parameters)
    {
        CheckDivides("npus-per-leaf", m_npusPerLeaf, m_npus, "NPUs");
        if (LeafCount() > 1 && m_spines.IsEmpty())
        {
            throw ConfigError("spines",
                              fmt::format("0 spines join {} leaves; write 1 or more", LeafCount()));
        }
    }

    TopologySize Size() const override
    {
        return {m_npus,
                uint64_t{LeafCount()} + m_spines.SpineCount(),
                2 * uint64_t{m_npus} + m_spines.LinkCount(LeafCount())};
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        return m_spines.IdleParameters(
            LeafCount() == 1 ? fmt::format("npus-per-leaf: {} puts all NPUs on one leaf, so no "
                                           "message goes to a spine; write a smaller npus-per-leaf",
                                           m_npusPerLeaf)
                             : "");
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_npus);
        const VertexRange leaves = AddSwitches(topology, "leaf", LeafCount());
        const VertexRange spines = m_spines.AddSpines(topology);
        for (uint32_t rank = 0; rank < m_npus; ++rank)
        {
            Join(topology, npus.At(rank), leaves.At(rank / m_npusPerLeaf), m_rate);
        }
        m_spines.AddLinks(topology, leaves, spines);
    }

  private:
    uint32_t LeafCount() const
    {
        return m_npus / m_npusPerLeaf;
    }

    uint32_t m_npus;
    uint32_t m_npusPerLeaf;
    LinkRate m_rate;
    SpineTier m_spines;
};

NADI_REGISTER(TopologyGenerator, LeafSpineGenerator, "leaf-spine");

} // namespace nadi
