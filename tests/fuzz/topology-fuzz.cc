// SPDX-License-Identifier: GPL-2.0-only
// Networks: files of nodes and links, stacks of dimensions, and generators.
#include "configuration/config-file.h"
#include "configuration/topology-file.h"
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "network/topology-generator.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"

namespace nadi::fuzz
{

namespace
{

// What a user may ask for takes seconds and gigabytes. Here only small networks are built.
constexpr uint64_t MOST_FUZZED_NPUS = 1024;
constexpr uint64_t MOST_FUZZED_LINKS = 1U << 14;

const char* const WORKLOAD = "workload: {collective: {type: all-reduce, size: 1 MB}}\n"
                             "network: {file: network.yaml}\n";

bool
IsSmall(const TopologySize& size)
{
    return size.npus + size.switches <= MOST_FUZZED_NPUS && size.links <= MOST_FUZZED_LINKS;
}

bool
IsSmall(const ExplicitTopology& topology)
{
    uint64_t links = 0;
    for (const LinkSpec& link : topology.links)
    {
        links += 2 * uint64_t{link.count};
    }
    return IsSmall({topology.npuCount, topology.switches.size(), links});
}

bool
IsSmall(const std::vector<Dimension>& dimensions)
{
    uint64_t npus = 1;
    for (const Dimension& dimension : dimensions)
    {
        npus *= dimension.size; // at most MOST_VERTICES, which ReadConfig holds
    }
    return npus <= MOST_FUZZED_NPUS;
}

class TopologyFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help =
        "A topology file, which begins with \"nodes\", or a network section.";

    void Read(const std::string& input) override
    {
        if (NamesDevice(input))
        {
            return;
        }
        if (input.starts_with("nodes"))
        {
            ReadExplicit(input);
        }
        else
        {
            ReadSection(input);
        }
    }

  private:
    void ReadExplicit(const std::string& input) const
    {
        const ExplicitTopology read =
            ReadTopologyFile(m_files.Write("topology.yaml", input), "fuzz");
        if (IsSmall(read))
        {
            MakeRouting(MakeExplicitTopology(read));
        }
    }

    void ReadSection(const std::string& input) const
    {
        m_files.Write("network.yaml", input);
        const Config config = ReadConfig(m_files.Write("fuzz.yaml", WORKLOAD), {});
        const NetworkConfig& network = config.network;
        if (network.generator)
        {
            if (IsSmall(MakeTopologyGenerator(*network.generator)->Size()))
            {
                MakeRouting(GenerateTopology(*network.generator));
            }
        }
        else if (!network.dimensions.empty() && IsSmall(network.dimensions))
        {
            MakeRouting(MakeStackTopology(network.dimensions));
        }
    }

    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, TopologyFuzz, "topology");

} // namespace

} // namespace nadi::fuzz
