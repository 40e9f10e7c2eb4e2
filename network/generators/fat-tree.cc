// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/generator-parts.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

#include <cmath>

namespace nadi
{

/// The fat tree of three tiers made of switches of one radix k (Al-Fares, Loukissas and Vahdat,
/// "A scalable, commodity data center network architecture", SIGCOMM 2008), with any number of
/// pods up to k.
///
/// An edge switch with oversubscription o has u = k / (1 + o) ports up and o * u down, both whole
/// numbers; o = 1 is the paper's tree: k / 2 each. A pod has k / 2 edge switches, each with o * u
/// NPUs, and u aggregation switches, each joined to every edge switch. An aggregation switch has
/// k / 2 ports up: the j-th of every pod is joined to the cores j * k / 2 to (j + 1) * k / 2 - 1.
/// So a core has one link to each pod, and all oversubscription lies at the edge.
///
/// Between two edge switches of a pod there are u equally good ways (NPU to NPU four links),
/// between two pods u * k / 2 (six links).
///
/// Rank r hangs on edge switch r / (o * u), counted through the pods. Switches: pod by pod
/// pod0.edge0, ..., pod0.agg0, ..., then core0, ... Links: those of the NPUs in rank order; pod by
/// pod, edge by edge, to the aggregation switches; pod by pod, aggregation by aggregation, to the
/// cores.
class FatTreeGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Three tiers of switches of one radix: edge and aggregation switches form pods, and core "
        "switches join the pods.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount(
                 "npus",
                 "The number of NPUs. They must fill whole pods, of which there are at most radix; "
                 "a pod has radix / 2 * (radix - radix / (1 + oversubscription)) NPUs, which "
                 "without oversubscription is radix * radix / 4."),
             RequiredCount("radix", "The number of ports of each switch. It must be even."),
             {{"oversubscription",
               ParameterKind::Number,
               "1",
               "The number of ports of an edge switch that lead to NPUs, divided by the number of "
               "its ports that lead to aggregation switches. The latter, radix / (1 + "
               "oversubscription), must be a whole number; 1 means no oversubscription.",
               {},
               {.least = 0, .isLeastAllowed = false}}},
             RequiredLink("link", "between an NPU and its edge switch"),
             LinkLike("uplink", "link", "between two switches")});
    }

    explicit FatTreeGenerator(const Parameters& parameters)
        : m_npus(GetCount(parameters, "npus", 1))
        , m_radix(GetCount(parameters, "radix", 2))
        , m_link(GetLink(parameters, "link"))
        , m_uplink(GetLink(parameters, "uplink"))
    {
        if (m_radix % 2 != 0)
        {
            throw ConfigError("radix",
                              fmt::format("{} is odd; half of the ports lead up: write {} or {}",
                                          m_radix,
                                          m_radix - 1,
                                          m_radix + 1));
        }
        m_aggsPerPod = CountPortsUp(parameters.Get<double>("oversubscription"));
        m_npusPerEdge = m_radix - m_aggsPerPod;
        CheckPods();
    }

    TopologySize Size() const override
    {
        const uint64_t cores = CappedProduct({m_aggsPerPod, Half()});
        return {m_npus,
                CappedProduct({PodCount(), Half() + m_aggsPerPod}) + cores,
                2 * uint64_t{m_npus} + CappedProduct({4, PodCount(), m_aggsPerPod, Half()})};
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_npus);
        std::vector<VertexRange> edges;
        std::vector<VertexRange> aggs;
        for (uint32_t pod = 0; pod < PodCount(); ++pod)
        {
            const std::string prefix = fmt::format("pod{}.", pod);
            edges.push_back(AddSwitches(topology, prefix + "edge", Half()));
            aggs.push_back(AddSwitches(topology, prefix + "agg", m_aggsPerPod));
        }
        const VertexRange cores = AddSwitches(topology, "core", m_aggsPerPod * Half());
        for (uint32_t rank = 0; rank < m_npus; ++rank)
        {
            const uint32_t edge = rank / m_npusPerEdge;
            Join(topology, npus.At(rank), edges[edge / Half()].At(edge % Half()), m_link);
        }
        for (uint32_t pod = 0; pod < PodCount(); ++pod)
        {
            JoinPod(topology, edges[pod], aggs[pod]);
        }
        for (const VertexRange& podAggs : aggs)
        {
            JoinCores(topology, podAggs, cores);
        }
    }

  private:
    /// u of the class comment. Throws ConfigError where it is no whole number.
    uint32_t CountPortsUp(double oversubscription) const
    {
        const double exact = m_radix / (1 + oversubscription);
        // A ratio such as 1.4 is no exact double, so the quotient may miss a whole number by a
        // rounding error.
        const double whole = std::round(exact);
        if (whole < 1 || whole >= m_radix || std::abs(exact - whole) > 1e-6)
        {
            throw ConfigError(
                "oversubscription",
                fmt::format("{} does not divide {} ports into whole numbers of ports "
                            "down and up; write one for which {} / (1 + it) is whole, "
                            "such as 1",
                            oversubscription,
                            m_radix,
                            m_radix));
        }
        return static_cast<uint32_t>(whole);
    }

    void CheckPods() const
    {
        const uint64_t npusPerPod = uint64_t{Half()} * m_npusPerEdge;
        if (m_npus % npusPerPod != 0)
        {
            throw ConfigError(
                "npus",
                fmt::format("{} does not fill whole pods of {} NPUs ({} edge switches "
                            "of {}); write a multiple of {}, or another radix",
                            m_npus,
                            npusPerPod,
                            Half(),
                            m_npusPerEdge,
                            npusPerPod));
        }
        if (PodCount() > m_radix)
        {
            throw ConfigError("radix",
                              fmt::format("{} ports join {} pods of {} NPUs, but {} NPUs need {}; "
                                          "write a larger radix",
                                          m_radix,
                                          m_radix,
                                          npusPerPod,
                                          m_npus,
                                          PodCount()));
        }
    }

    void JoinPod(Topology& topology, VertexRange edges, VertexRange aggs) const
    {
        for (uint32_t edge = 0; edge < edges.count; ++edge)
        {
            for (uint32_t agg = 0; agg < aggs.count; ++agg)
            {
                Join(topology, edges.At(edge), aggs.At(agg), m_uplink);
            }
        }
    }

    void JoinCores(Topology& topology, VertexRange aggs, VertexRange cores) const
    {
        for (uint32_t core = 0; core < cores.count; ++core)
        {
            Join(topology, aggs.At(core / Half()), cores.At(core), m_uplink);
        }
    }

    uint32_t Half() const
    {
        return m_radix / 2;
    }

    uint32_t PodCount() const
    {
        return m_npus / (Half() * m_npusPerEdge);
    }

    uint32_t m_npus;
    uint32_t m_radix;
    uint32_t m_aggsPerPod = 0;
    uint32_t m_npusPerEdge = 0;
    LinkRate m_link;
    LinkRate m_uplink;
};

NADI_REGISTER(TopologyGenerator, FatTreeGenerator, "fat-tree");

} // namespace nadi
