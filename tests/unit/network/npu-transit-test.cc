// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/npu-transit.h"
#include "network/stack-topology.h"
#include "network/topology-generator.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// Whether some link that is equally good on some way leads to an NPU where the way does not end.
bool
HasRouteOverNpu(const Topology& topology)
{
    const auto routing = MakeRouting(topology);
    for (VertexId at{0}; at.value < topology.NpuCount(); ++at.value)
    {
        for (VertexId to{0}; to.value < topology.NpuCount(); ++to.value)
        {
            if (at == to)
            {
                continue;
            }
            // Follows all ways at once.
            std::vector<VertexId> waiting{at};
            std::map<uint32_t, bool> isSeen;
            while (!waiting.empty())
            {
                const VertexId vertex = waiting.back();
                waiting.pop_back();
                for (const LinkId link : routing->FindNextLinks(vertex, to))
                {
                    const VertexId next = topology.Link(link).to;
                    if (next == to || isSeen[next.value])
                    {
                        continue;
                    }
                    if (next.value < topology.NpuCount())
                    {
                        return true;
                    }
                    isSeen[next.value] = true;
                    waiting.push_back(next);
                }
            }
        }
    }
    return false;
}

} // namespace

TEST_CASE("MayCrossNpus: in stacks it agrees with the routes", "[unit][network]")
{
    const std::vector<std::vector<Dimension>> stacks{
        MakeStack({{"switch", 4}}),
        MakeStack({{"fully-connected", 5}}),
        MakeStack({{"ring", 2}}),
        MakeStack({{"ring", 3}}),
        MakeStack({{"ring", 4}}),
        MakeStack({{"mesh", 2}}),
        MakeStack({{"mesh", 3}}),
        MakeStack({{"switch", 1}}),
        MakeStack({{"switch", 4}, {"ring", 1}}),
        MakeStack({{"switch", 2}, {"switch", 3}}),
        MakeStack({{"fully-connected", 2}, {"switch", 2}})};
    for (const std::vector<Dimension>& stack : stacks)
    {
        CAPTURE(stack.front().shape.name, stack.front().size, stack.size());
        const Topology topology = MakeStackTopology(stack);
        CHECK(MayCrossNpus(topology) == HasRouteOverNpu(topology));
    }
}

TEST_CASE("MayCrossNpus: in generated topologies it agrees with the routes", "[unit][network]")
{
    std::map<std::string, std::string> rail{{"nodes", "2"},
                                            {"npus-per-node", "2"},
                                            {"nvlink.bandwidth", "400 GB/s"},
                                            {"nvlink.latency", "100 ns"},
                                            {"nic.bandwidth", "50 GB/s"},
                                            {"nic.latency", "500 ns"},
                                            {"spines", "1"}};
    for (const std::string spines : {"0", "1"}) // without spines, rails meet in the NPUs only
    {
        CAPTURE(spines);
        rail["spines"] = spines;
        const Topology topology = GenerateTopology({"rail", rail});
        CHECK(MayCrossNpus(topology) == HasRouteOverNpu(topology));
        CHECK(MayCrossNpus(topology) == (spines == "0"));
    }
}

TEST_CASE("MayCrossNpus: in nodes it agrees with the routes", "[unit][network]")
{
    std::map<std::string, std::string> nodes{{"nodes", "2"},
                                             {"npus-per-node", "8"},
                                             {"nvlink.bandwidth", "150 GB/s"},
                                             {"nvlink.latency", "100 ns"},
                                             {"nic.bandwidth", "10 GB/s"},
                                             {"nic.latency", "500 ns"},
                                             {"spines", "0"}};
    for (const std::string inside : {"switch", "mesh", "hybrid-cube-mesh"})
    {
        for (const std::string nics : {"0", "4"})
        {
            CAPTURE(inside, nics);
            nodes["inside"] = inside;
            nodes["nics-per-node"] = nics;
            const Topology topology = GenerateTopology({"nodes", nodes});
            CHECK(MayCrossNpus(topology) == HasRouteOverNpu(topology));
            CHECK(MayCrossNpus(topology) == (inside == "hybrid-cube-mesh"));
        }
    }
}
