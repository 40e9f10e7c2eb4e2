// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/flows-writer.h"
#include "simulation/simulate.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Hop = std::pair<std::string, std::string>;

/// A row of flows.csv.
struct Row
{
    std::string src;
    std::string dst;
    int64_t size = 0;
    std::string time;
    std::string ideal;
    std::string slowdown;
    std::vector<std::string> path;
};

struct FlowsRun
{
    RunResults results;
    std::string text;
    std::vector<Row> rows;
    std::map<Hop, int64_t> linkBytes; ///< of links.csv, parallel links together
};

/// Two NPUs on one link, and NPUs on a switch: 1 B/ns, 1 us.
const std::string PAIR =
    "network: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}\n";
const std::string STAR_NETWORK =
    "network: {dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}\n";
const std::string LEAF_SPINE =
    std::string("network: ") + SOURCE_DIR + "/configs/networks/leaf-spine-8.yaml\n";
/// Two nodes of one NPU, whose NICs have 50 B/ns.
const std::string STAR_OF_NODES =
    "network: {topology: {generator: nodes, spines: 1, nodes: 2, npus-per-node: 1, nvlink: "
    "{bandwidth: 450 GB/s, latency: 100 ns}, nic: {bandwidth: 400 Gb/s, latency: 500 ns}}}\n";
const std::string ON = "output: {flows: on}\n";

std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

std::vector<Row>
ParseRows(const std::string& text)
{
    std::vector<Row> rows;
    const std::vector<std::string> lines = Split(text, '\n');
    for (size_t i = 1; i < lines.size(); ++i)
    {
        const std::vector<std::string> cells = Split(lines[i], ',');
        REQUIRE(cells.size() == 12);
        CHECK(cells[0] == std::to_string(i - 1));
        rows.push_back({cells[1],
                        cells[2],
                        std::stoll(cells[3]),
                        cells[6],
                        cells[7],
                        cells[8],
                        Split(cells[9], '>')});
    }
    return rows;
}

FlowsRun
RunFlows(const std::string& yaml)
{
    const ScratchDirectory scratch("flows-writer");
    const RunInput input(scratch.Write("c.yaml", yaml), {});
    FlowsRun run;
    run.results = Simulate(input);
    REQUIRE(run.results.flows);
    std::ostringstream file;
    WriteFlows(*run.results.flows, input, file);
    run.text = file.str();
    run.rows = ParseRows(run.text);
    const Topology& topology = input.Topology();
    for (uint32_t id = 0; id < topology.LinkCount(); ++id)
    {
        const TopologyLink& link = topology.Link(LinkId{id});
        run.linkBytes[{topology.Vertex(link.from).name, topology.Vertex(link.to).name}] +=
            run.results.links[id].bytes.Count();
    }
    return run;
}

/// The steps of a path.
std::vector<Hop>
HopsOf(const std::vector<std::string>& path)
{
    std::vector<Hop> hops;
    for (size_t i = 1; i < path.size(); ++i)
    {
        hops.emplace_back(path[i - 1], path[i]);
    }
    return hops;
}

/// With the default frames: 4096 B of payload, 64 B of header.
int64_t
WireBytes(int64_t size)
{
    return size + 64 * std::max<int64_t>(1, (size + 4095) / 4096);
}

} // namespace

TEST_CASE("WriteFlows: the ideal time counts what the protocol of a library carries",
          "[unit][simulation]")
{
    const FlowsRun run = RunFlows("workload: {collective: {type: all-gather, size: 64 KiB}}\n"
                                  "system: {library: {name: nccl, protocol: LL}}\n" +
                                  STAR_OF_NODES + ON);
    REQUIRE(!run.rows.empty());
    CHECK(run.rows[0].slowdown == "1.000000"); // the first message has the way for itself
    CHECK(std::stod(run.rows[0].ideal) >
          2 * static_cast<double>(WireBytes(run.rows[0].size)) / 50.0);
}

TEST_CASE("WriteFlows: one message, by hand", "[unit][simulation]")
{
    const FlowsRun run =
        RunFlows(PAIR + "workload: {flows: [{src: 0, dst: 1, size: 10000 B, at: 2 us}]}\n" + ON);
    const int64_t time = WireBytes(10000) + 1000; // at 1 B/ns, and the link
    CHECK(
        run.text ==
        "id,src,dst,size_bytes,start_ns,end_ns,fct_ns,ideal_fct_ns,slowdown,path,"
        "retransmissions,kind\n" +
            fmt::format("0,0,1,10000,2000.000,{}.000,{}.000,{}.000,1.000000,npu0>npu1,0,pipeline\n",
                        2000 + time,
                        time,
                        time));
}

TEST_CASE("WriteFlows: a message alone takes its ideal time, to the picosecond",
          "[unit][simulation]")
{
    for (const char* size : {"0 B", "1 B", "4096 B", "4097 B", "1000003 B"})
    {
        for (const std::string& network : {PAIR, STAR_NETWORK, LEAF_SPINE})
        {
            CAPTURE(size, network);
            const std::string target = network == PAIR ? "1" : "3";
            const FlowsRun run = RunFlows(network + "workload: {flows: [{src: 0, dst: " + target +
                                          ", size: " + size + "}]}\n" + ON);
            REQUIRE(run.rows.size() == 1);
            CHECK(run.rows[0].time == run.rows[0].ideal);
            CHECK(run.rows[0].slowdown == "1.000000");
        }
    }
}

TEST_CASE("WriteFlows: the ideal time has the switch latency in it", "[unit][simulation]")
{
    const std::string flow = "workload: {flows: [{src: 0, dst: 1, size: 100 B}]}\n" + ON;
    const std::string star =
        STAR_NETWORK.substr(0, STAR_NETWORK.rfind('}')) + ", packet: {switch-latency: 7 ns}}\n";
    const FlowsRun run = RunFlows(star + flow);
    // 164 B twice, two links and the switch.
    CHECK(run.rows.at(0).ideal == fmt::format("{}.000", 2 * 164 + 2 * 1000 + 7));
    CHECK(run.rows.at(0).slowdown == "1.000000");
}

TEST_CASE("WriteFlows: three senders into one link take turns, the last three times as long",
          "[unit][simulation]")
{
    constexpr int frames = 400;
    constexpr int frame = 4096 + 64; // ns at 1 B/ns
    const std::string size = std::to_string(frames * 4096);
    const FlowsRun run =
        RunFlows(STAR_NETWORK + "workload: {flows: [{src: 0, dst: 3, size: " + size +
                 " B}, {src: 1, dst: 3, size: " + size + " B}, {src: 2, dst: 3, size: " + size +
                 " B}]}\n" + ON);
    REQUIRE(run.rows.size() == 3);
    const int ideal = (frames + 1) * frame + 2 * 1000;
    for (int sender = 0; sender < 3; ++sender)
    {
        const Row& row = run.rows[static_cast<size_t>(sender)];
        // The frame before the last of every sender has passed, then the lowest port is first.
        const int time = (1 + 3 * (frames - 1) + sender + 1) * frame + 2 * 1000;
        CHECK(row.src == std::to_string(sender));
        CHECK(row.time == fmt::format("{}.000", time));
        CHECK(row.slowdown == fmt::format("{:.6f}", static_cast<double>(time) / ideal));
        CHECK(std::stod(row.slowdown) > 1);
    }
    CHECK(std::stod(run.rows[2].slowdown) == Approx(3).epsilon(0.01));
}

TEST_CASE("WriteFlows: frames that several ways take have no path, and an ideal time where it is "
          "known",
          "[unit][simulation]")
{
    const auto run = [](const std::string& balancing,
                        const std::string& uplink,
                        const std::string& backend = "packet")
    {
        return RunFlows("network: {backend: " + backend +
                        ", topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 2, spines: 2, "
                        "link: {bandwidth: 100 GB/s, latency: 500 ns}, uplink: {bandwidth: " +
                        uplink + ", latency: 500 ns}}, packet: {load-balancing: " + balancing +
                        "}}\nworkload: {flows: [{src: 0, dst: 2, size: 1 MiB}, {src: 3, dst: 2, "
                        "size: 1 MiB, at: 1 ms}]}\n" +
                        ON);
    };
    for (const std::string balancing : {"spray", "adaptive", "flowlet"})
    {
        CAPTURE(balancing);
        // Two uplinks of 25 GB/s carry more than the one that an ideal time would count.
        const FlowsRun slow = run(balancing, "25 GB/s");
        REQUIRE(slow.rows.size() == 2);
        CHECK(slow.rows[0].ideal.empty());
        CHECK(slow.rows[0].slowdown.empty());
        CHECK(slow.rows[0].path.empty());
        // Under one leaf there is one way.
        CHECK(slow.rows[1].slowdown == "1.000000");
        CHECK(slow.rows[1].path == std::vector<std::string>{"npu3", "leaf1", "npu2"});
        // Behind the link of the sender, frames come no faster than one uplink takes them.
        const FlowsRun fast = run(balancing, "100 GB/s");
        CHECK(fast.rows[0].slowdown == "1.000000");
        CHECK(fast.rows[0].path.empty());
    }
    CHECK(run("ecmp", "25 GB/s").rows[0].slowdown == "1.000000");
    // Other backends take the way of ECMP.
    CHECK(run("spray", "25 GB/s", "analytical").rows[0].path.size() == 5);
}

TEST_CASE("WriteFlows: ports of the sender alone are no choice of a load balancer",
          "[unit][simulation]")
{
    // Each NPU has a port on either of two switches.
    const ScratchDirectory scratch("flows-writer-ports");
    std::string links;
    for (const char* npu : {"npu0", "npu1"})
    {
        for (const char* at : {"s0", "s1"})
        {
            links += fmt::format(R"({}{{"from": "{}", "to": "{}", "bandwidth": "100 Gb/s", )"
                                 R"("latency": "500 ns"}})",
                                 links.empty() ? "" : ", ",
                                 npu,
                                 at);
        }
    }
    const auto file = scratch.Write(
        "two-ports.yaml",
        R"({"nodes": {"npus": 2, "switches": ["s0", "s1"]}, "links": [)" + links + "]}");
    const FlowsRun run = RunFlows("network: {topology: {file: " + file.string() +
                                  "}, packet: {load-balancing: spray}}\n"
                                  "workload: {flows: [{src: 0, dst: 1, size: 1 MiB}]}\n" +
                                  ON);
    REQUIRE(run.rows.size() == 1);
    CHECK(run.rows[0].slowdown == "1.000000");
    REQUIRE(run.rows[0].path.size() == 3);
    CHECK(run.linkBytes.at({"npu0", run.rows[0].path[1]}) > run.rows[0].size);
}

TEST_CASE("WriteFlows: by start, then source, destination and key", "[unit][simulation]")
{
    const FlowsRun run = RunFlows(STAR_NETWORK +
                                  "workload:\n  flows:\n"
                                  "    - {src: 0, dst: 2, size: 50 B, at: 9 us}\n"
                                  "    - {src: 2, dst: 0, size: 40 B}\n"
                                  "    - {src: 0, dst: 3, size: 30 B}\n"
                                  "    - {src: 0, dst: 1, size: 99 B}\n"
                                  "    - {src: 0, dst: 1, size: 20 B}\n" +
                                  ON);
    std::vector<int64_t> sizes;
    for (const Row& row : run.rows)
    {
        sizes.push_back(row.size);
    }
    CHECK(sizes == std::vector<int64_t>{99, 20, 30, 40, 50});
}

TEST_CASE("WriteFlows: paths lead from source to destination and account for every byte",
          "[unit][simulation]")
{
    // An all-to-all has a message each way, and an acknowledgement of 64 B goes the way of the
    // messages of its direction.
    const FlowsRun run =
        RunFlows(LEAF_SPINE + "workload: {collective: {type: all-to-all, size: 500 KB}}\n" + ON);
    std::map<Hop, std::vector<std::string>> pathOf; // by source and destination
    std::set<std::string> spines;
    int64_t payload = 0;
    for (const Row& row : run.rows)
    {
        const auto known = pathOf.emplace(Hop{row.src, row.dst}, row.path).first;
        CHECK(known->second == row.path);
        CHECK(row.path.front() == "npu" + row.src);
        CHECK(row.path.back() == "npu" + row.dst);
        CHECK(std::set(row.path.begin(), row.path.end()).size() == row.path.size());
        const bool isLocal = (row.src < "4") == (row.dst < "4");
        REQUIRE(row.path.size() == (isLocal ? 3U : 5U));
        spines.insert(isLocal ? "" : row.path[2]);
        payload += row.size;
    }
    CHECK(pathOf.size() == 8 * 7);
    CHECK(spines == std::set<std::string>{"", "spine0", "spine1"});
    CHECK(payload == run.results.BytesSent().Count());

    std::map<Hop, int64_t> expected;
    for (const Row& row : run.rows)
    {
        for (const Hop& hop : HopsOf(row.path))
        {
            expected[hop] += WireBytes(row.size);
        }
        for (const Hop& hop : HopsOf(pathOf.at({row.dst, row.src})))
        {
            expected[hop] += 64;
        }
    }
    for (const auto& [hop, bytes] : run.linkBytes)
    {
        CAPTURE(hop.first, hop.second);
        CHECK(bytes == expected[hop]);
    }
    CHECK(expected.size() <= run.linkBytes.size()); // no hop that is not a link
}

TEST_CASE("RunResults: messages are kept only when asked for, and change nothing",
          "[unit][simulation]")
{
    const std::string job =
        STAR_NETWORK + "workload: {collective: {type: all-reduce, size: 100 KB}}\n";
    const RunResults without = RunYaml({.yaml = job, .settings = {}, .scrambleSeed = {}});
    const RunResults with = RunYaml({.yaml = job + ON, .settings = {}, .scrambleSeed = {}});
    CHECK(!without.flows);
    REQUIRE(with.flows);
    CHECK(!with.flows->empty());
    CHECK(with.digest == without.digest);
    CHECK(with.events == without.events);
}

TEST_CASE("WriteFlows: a run without messages has the header alone", "[unit][simulation]")
{
    const FlowsRun run = RunFlows(
        STAR_NETWORK + "workload: {ranks: 1, collective: {type: all-reduce, size: 1 B}}\n" + ON);
    CHECK(run.rows.empty());
    CHECK(Split(run.text, '\n').size() == 1);
}
