// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "simulation/run-input.h"
#include "simulation/simulation.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Sizes = std::vector<uint32_t>;

constexpr int64_t GB = 1'000'000'000;

/// A generator of 4 nodes of 8, or a topology of nobody's making.
std::string
WithNodes(const std::string& generator, uint32_t ranks, const std::string& system = "")
{
    return fmt::format("workload: {{ranks: {}, collective: {{type: all-reduce, size: 1 MiB}}}}\n"
                       "{}\n"
                       "network:\n"
                       "  backend: analytical\n"
                       "  topology: {{generator: {}, nodes: 4, npus-per-node: 8,\n"
                       "    nvlink: {{bandwidth: 450 GB/s, latency: 500 ns}},\n"
                       "    nic: {{bandwidth: 50 GB/s, latency: 500 ns}}, spines: {}}}\n",
                       ranks,
                       system,
                       generator,
                       generator == "rail" ? 8 : 0);
}

struct Read
{
    explicit Read(const std::string& yaml)
        : input(scratch.Write("c.yaml", yaml), {})
    {
    }

    Sizes StackSizes() const
    {
        Sizes sizes;
        for (const Dimension& dimension : input.Stack())
        {
            sizes.push_back(dimension.size);
        }
        return sizes;
    }

    /// The note that has `words`; empty without one.
    std::string NoteWith(const std::string& words) const
    {
        const auto& notes = input.Notes();
        const auto found = std::find_if(notes.begin(),
                                        notes.end(),
                                        [&](const std::string& note)
                                        { return note.find(words) != std::string::npos; });
        return found == notes.end() ? "" : *found;
    }

    ScratchDirectory scratch{"logical-stack"};
    RunInput input;
};

/// Two nodes of two NPUs: NVLink of 450 GB/s between neighbours, one switch of 50 GB/s for all.
const std::string TWO_NODES = R"(
nodes: {npus: 4, switches: [leaf]}
links:
  - {from: npu0, to: npu1, bandwidth: 450 GB/s, latency: 500 ns}
  - {from: npu2, to: npu3, bandwidth: 450 GB/s, latency: 500 ns}
  - {from: npu0, to: leaf, bandwidth: 50 GB/s, latency: 500 ns}
  - {from: npu1, to: leaf, bandwidth: 50 GB/s, latency: 500 ns}
  - {from: npu2, to: leaf, bandwidth: 50 GB/s, latency: 500 ns}
  - {from: npu3, to: leaf, bandwidth: 50 GB/s, latency: 500 ns}
)";

struct ReadFile : Read
{
    explicit ReadFile(const std::string& system, const std::string& topology = TWO_NODES)
        : Read(WriteFirst(topology) + "workload: {collective: {type: all-reduce, size: 1 MiB}}\n" +
               system)
    {
    }

  private:
    static std::string WriteFirst(const std::string& topology)
    {
        static const ScratchDirectory scratch("logical-stack-topology");
        return "network: {topology: {file: \"" + scratch.Write("t.yaml", topology).string() +
               "\"}}\n";
    }
};

} // namespace

TEST_CASE("Logical stack: generators with nodes have [NPUs per node, nodes]", "[unit][simulation]")
{
    const std::string generator = GENERATE("rail", "nodes");
    const Read read(WithNodes(generator, 32));
    CHECK(read.StackSizes() == Sizes{8, 4});
    CHECK(read.input.Stack()[0].bandwidth == Bandwidth::FromBytesPerSecond(450 * GB));
    CHECK(read.input.Stack()[1].bandwidth == Bandwidth::FromBytesPerSecond(50 * GB));
    CHECK(read.input.Notes().empty());
}

TEST_CASE("Logical stack: a wafer that is a tree has [NPUs per switch, switches]",
          "[unit][simulation]")
{
    const std::string job = "workload: {collective: {type: all-reduce, size: 1 MiB}}\n";
    const Read read(job +
                    "network: {topology: {generator: wafer, fabric: tree, npus-per-switch: 4,\n"
                    "  l1-switches: 5, link: {bandwidth: 3 TB/s, latency: 4 ns},\n"
                    "  uplink: {bandwidth: 1.5 TB/s, latency: 4 ns}}}\n");
    CHECK(read.StackSizes() == Sizes{4, 5});
    CHECK(read.input.Stack()[0].bandwidth == Bandwidth::FromBytesPerSecond(3000 * GB));
    // Four NPUs share an uplink.
    CHECK(read.input.Stack()[1].bandwidth == Bandwidth::FromBytesPerSecond(1500 * GB / 4));
    CHECK(read.input.Notes().empty());
}

TEST_CASE("Logical stack: a wafer that is a mesh has its own two dimensions", "[unit][simulation]")
{
    const std::string mesh =
        "network: {topology: {generator: wafer, fabric: mesh, width: 5, height: 4,\n"
        "  link: {bandwidth: 750 GB/s, latency: 4 ns}}}\n";
    for (const std::string ranks : {"20", "7"})
    {
        const Read read("workload: {ranks: " + ranks +
                        ", collective: {type: all-reduce, size: 1 MiB}}\n" + mesh);
        CHECK(read.StackSizes() == Sizes{5, 4});
        CHECK(read.input.Stack()[0].shape.name == "mesh");
        CHECK(read.input.Stack()[1].shape.name == "mesh");
    }
    // What counts the ranks of the first dimension finds it too.
    const Read tensors(
        "workload: {generate: {model: transformer, layers: 1, hidden: 50, heads: 10, "
        "tp: 0}}\n" +
        mesh);
    CHECK(tensors.input.Workload().communicators.at(1).ranks.size() == 5);
}

TEST_CASE("Logical stack: a job has as many nodes as it fills", "[unit][simulation]")
{
    CHECK(Read(WithNodes("rail", 16)).StackSizes() == Sizes{8, 2});
    CHECK(Read(WithNodes("rail", 8)).StackSizes() == Sizes{8, 1});
    CHECK(Read(WithNodes("rail", 4)).StackSizes() == Sizes{4, 1});
}

TEST_CASE("Logical stack: ranks that use unequal parts of nodes are one list, and a note says so",
          "[unit][simulation]")
{
    const Read read(WithNodes("rail", 12));
    CHECK(read.StackSizes() == Sizes{12, 1});
    CHECK(read.NoteWith("unequal parts") ==
          "12 ranks use unequal parts of nodes of 8 NPUs: a collective of all ranks runs over one "
          "list; "
          "write workload.ranks as a multiple of 8, or system.dimensions");
    CHECK(Read(WithNodes("rail", 4)).NoteWith("unequal parts").empty()); // all in one node
}

TEST_CASE("Logical stack: no note says how collectives see it under a library that looks at none",
          "[unit][simulation]")
{
    const Read read(WithNodes("rail", 12, "system: {library: nccl}"));
    CHECK(read.NoteWith("one list").empty());
    CHECK(!read.input.IsUndivided());
    CHECK(Read(WithNodes("rail", 12)).input.IsUndivided());
}

TEST_CASE("Logical stack: unequal rates in one node are no list that another stack would divide",
          "[unit][simulation]")
{
    std::string yaml = WithNodes("nodes", 8);
    const Read cube(yaml.replace(yaml.find("nvlink"), 0, "inside: hybrid-cube-mesh, "));
    CHECK(!cube.NoteWith("dimension 0 of the logical stack has members").empty());
    CHECK(!cube.input.IsUndivided());
}

TEST_CASE("Logical stack: what the user says comes first", "[unit][simulation]")
{
    CHECK(Read(WithNodes("rail", 32, "system: {dimensions: [32]}")).StackSizes() == Sizes{32});
    CHECK(Read(WithNodes("rail", 32, "system: {dimensions: [16, 2]}")).StackSizes() ==
          Sizes{16, 2});
}

TEST_CASE("Logical stack: algorithms are listed for each of a generator's dimensions",
          "[unit][simulation]")
{
    const Read read(
        WithNodes("rail", 32, "system: {collectives: {all-reduce: [direct, halving-doubling]}}"));
    const auto& choice =
        read.input.Config().system.options.algorithms.at(CollectiveType::AllReduce);
    REQUIRE(choice.perDimension.size() == 2);
    CHECK(choice.perDimension[1].name == "halving-doubling");
}

TEST_CASE("Logical stack: an explicit topology is one list, and unequal neighbours are a note",
          "[unit][simulation]")
{
    const ReadFile undivided("");
    CHECK(undivided.input.IsUndivided());
    CHECK(undivided.StackSizes() == Sizes{4});
    CHECK(undivided.NoteWith("system.dimensions") ==
          "a collective of all ranks runs over one list of 4, in which neighbours reach each "
          "other at 50 GB/s to 450 GB/s: the slowest sets the pace; write system.dimensions: "
          "[<ranks of a node or group>, <how many of these>] to use the faster ways");

    const ReadFile divided("system: {dimensions: [2, 2]}\n");
    CHECK(!divided.input.IsUndivided());
    CHECK(divided.NoteWith("dimension").empty());
    CHECK(divided.input.Stack()[0].bandwidth == Bandwidth::FromBytesPerSecond(450 * GB));
    CHECK(divided.input.Stack()[1].bandwidth == Bandwidth::FromBytesPerSecond(50 * GB));
}

TEST_CASE("Logical stack: a job without collectives has no notes on how they run",
          "[unit][simulation]")
{
    const std::string yaml = WithNodes("rail", 12);
    const std::string collective = "collective: {type: all-reduce, size: 1 MiB}";
    std::string flows = yaml;
    flows.replace(
        flows.find(collective), collective.size(), "flows: [{src: 0, dst: 11, size: 1 MiB}]");
    CHECK(!Read(yaml).NoteWith("runs over one list").empty());
    CHECK(Read(yaml).input.IsUndivided()); // nodes that are not filled
    CHECK(!Read(WithNodes("rail", 32)).input.IsUndivided());
    CHECK(Read(flows).NoteWith("runs over one list").empty());
}

TEST_CASE("Logical stack: equally short ways over fast and slow links are a note",
          "[unit][simulation]")
{
    // NVLink goes through a switch of each node, as far as the network between nodes.
    std::string links;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        links +=
            fmt::format("  - {{from: npu{0}, to: inner{1}, bandwidth: 450 GB/s, latency: 1 us}}\n"
                        "  - {{from: npu{0}, to: leaf, bandwidth: 50 GB/s, latency: 1 us}}\n",
                        npu,
                        npu / 2);
    }
    const ReadFile read("", "nodes: {npus: 4, switches: [inner0, inner1, leaf]}\nlinks:\n" + links);
    CHECK(read.input.MixesWays()); // so no stack would keep bytes on the fast ones
    CHECK(!read.input.IsUndivided());
    CHECK(read.NoteWith("as many links") ==
          "routing uses ways to another rank over links of 50 GB/s and of 450 GB/s equally, as "
          "both have as many links; put a switch between each NPU and its slower links, so that "
          "the faster way is shorter and is preferred");
    CHECK(ReadFile("").NoteWith("as many links").empty());
}

TEST_CASE("Logical stack: equally short ways between ranks that are no neighbours are a note, too",
          "[unit][simulation]")
{
    const auto wire = [](uint32_t npu, const std::string& to, const std::string& rate)
    {
        return fmt::format(
            "  - {{from: npu{}, to: {}, bandwidth: {}, latency: 1 us}}\n", npu, to, rate);
    };
    // NPUs of a node have every other number, so no next rank is in the same node.
    const auto notesWith = [&](const std::string& slow)
    {
        std::string links;
        for (uint32_t npu = 0; npu < 4; ++npu)
        {
            links += wire(npu, fmt::format("inner{}", npu % 2), "450 GB/s");
            links += wire(npu, slow == "nic" ? fmt::format("nic{}", npu) : "leaf", "50 GB/s");
            links += slow == "nic" ? fmt::format("  - {{from: nic{}, to: leaf, bandwidth: 50 GB/s, "
                                                 "latency: 1 us}}\n",
                                                 npu)
                                   : "";
        }
        const std::string nics = slow == "nic" ? ", nic0, nic1, nic2, nic3" : "";
        const ReadFile read(
            "", "nodes: {npus: 4, switches: [inner0, inner1, leaf" + nics + "]}\nlinks:\n" + links);
        CHECK(read.input.MixesWays() == (slow != "nic"));
        return read.NoteWith("as many links");
    };
    CHECK(notesWith("leaf") ==
          "routing uses ways to another rank over links of 50 GB/s and of 450 GB/s equally, as "
          "both have as many links; put a switch between each NPU and its slower links, so that "
          "the faster way is shorter and is preferred");
    CHECK(notesWith("nic").empty()); // as the note advises
}

TEST_CASE("Logical stack: nodes in which every two NPUs share a link are fully connected",
          "[unit][simulation]")
{
    const auto withMesh = [](uint32_t ranks)
    {
        std::string yaml = WithNodes("rail", ranks);
        return yaml.replace(yaml.find("nvlink"), 0, "inside: mesh, ");
    };
    const auto algorithmsOf = [](const Read& read)
    {
        std::vector<std::string> names;
        for (const ComponentChoice& algorithm :
             read.input.Config()
                 .system.options.algorithms.at(CollectiveType::AllReduce)
                 .perDimension)
        {
            names.push_back(algorithm.name);
        }
        return names;
    };
    for (const uint32_t ranks : {32U, 8U, 4U})
    {
        CAPTURE(ranks);
        const Read read(withMesh(ranks));
        const Dimension& inside = read.input.Stack()[0];
        CHECK(inside.shape == ComponentChoice("fully-connected"));
        CHECK(inside.bandwidth == Bandwidth::FromBitsPerSecond(450 * 8 * GB / 7)); // of one link
        CHECK(inside.latency == SimTime::FromNs(500));
        CHECK(algorithmsOf(read) == std::vector<std::string>{"direct", "ring"});
    }
    // Dimensions that are given may be those of the nodes, or of parts of them.
    const auto withDimensions = [&withMesh](const std::string& sizes, const std::string& placement)
    {
        std::string yaml = withMesh(32) + "system: {dimensions: " + sizes + "}\n";
        return yaml.replace(yaml.find("ranks: 32"), 9, "ranks: 32, placement: " + placement);
    };
    CHECK(Read(withDimensions("[8, 4]", "linear")).input.Stack()[0].bandwidth ==
          Read(withMesh(32)).input.Stack()[0].bandwidth);
    for (const std::string sizes : {"[8, 4]", "[4, 2, 4]", "[2, 16]"})
    {
        CAPTURE(sizes);
        const Read read(withDimensions(sizes, "linear"));
        CHECK(read.input.Stack()[0].shape == ComponentChoice("fully-connected"));
        CHECK(read.input.Stack()[1].shape == ComponentChoice("routes"));
        CHECK(algorithmsOf(read).front() == "direct");
    }
    CHECK(Read(withDimensions("[8, 4]", "random")).input.Stack()[0].shape ==
          ComponentChoice("routes"));
    CHECK(Read(withDimensions("[16, 2]", "linear")).input.Stack()[0].shape ==
          ComponentChoice("routes"));
    // Not where the ranks use unequal parts of nodes, or one NPU of each, nor with a switch in
    // each.
    CHECK(Read(withMesh(12)).input.Stack()[0].shape == ComponentChoice("routes"));
    const auto shapeOf = [&withMesh](const std::string& placement)
    {
        std::string yaml = withMesh(4);
        yaml.replace(yaml.find("ranks: 4"), 8, "ranks: 4, placement: " + placement);
        return Read(yaml).input.Stack()[0].shape;
    };
    CHECK(shapeOf("[0, 1, 8, 9]") == ComponentChoice("fully-connected"));
    CHECK(shapeOf("[0, 1, 2, 8]") == ComponentChoice("routes"));
    CHECK(shapeOf("[0, 8, 16, 24]") == ComponentChoice("routes"));
    const Read switched(WithNodes("rail", 32));
    CHECK(switched.input.Stack()[0].shape == ComponentChoice("routes"));
    CHECK(algorithmsOf(switched) == std::vector<std::string>{"ring", "ring"});
}

TEST_CASE("Logical stack: a generator's ways are not for the user to change", "[unit][simulation]")
{
    // The NPUs of a DGX-1 have single and doubled links.
    std::string yaml = WithNodes("nodes", 32);
    yaml.replace(yaml.find("nvlink"), 0, "inside: hybrid-cube-mesh, ");
    CHECK(Read(yaml.replace(yaml.find("spines: 0"), 9, "spines: 1"))
              .NoteWith("as many links")
              .ends_with("equally, as both have as many links; the slower ones set the pace"));
}

TEST_CASE("Logical stack: a dimension whose members have unequal rates is a note",
          "[unit][simulation]")
{
    std::string slower = TWO_NODES;
    slower.replace(slower.find("450"), 3, "100");
    const ReadFile read("system: {dimensions: [2, 2]}\n", slower);
    CHECK(read.NoteWith("dimension 0") ==
          "dimension 0 of the logical stack has members that reach their neighbours at 100 GB/s, "
          "others at 450 GB/s; schedules count with 100 GB/s");
    CHECK(read.input.Stack()[0].bandwidth == Bandwidth::FromBytesPerSecond(100 * GB));
}
