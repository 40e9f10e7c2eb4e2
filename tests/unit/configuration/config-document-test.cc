// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-document.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What a document says, on one line: {a: b, c: [d]}.
std::string
Text(const ConfigNode& node)
{
    std::string text;
    for (const ConfigNode& child : node.children)
    {
        text +=
            (text.empty() ? "" : ", ") + (child.key.empty() ? "" : child.key + ": ") + Text(child);
    }
    switch (node.kind)
    {
    case ConfigNode::Kind::Null:
        return "null";
    case ConfigNode::Kind::Scalar:
        return node.text;
    case ConfigNode::Kind::List:
        return "[" + text + "]";
    case ConfigNode::Kind::Map:
        break;
    }
    return "{" + text + "}";
}

std::string
Load(const ScratchDirectory& scratch, const std::vector<std::string>& settings = {})
{
    return Text(ConfigDocument(scratch.Path() / "c.yaml", settings).Root());
}

std::string
ErrorOf(const ScratchDirectory& scratch, const std::vector<std::string>& settings = {})
{
    return scratch.WithoutPath(ConfigErrorText([&] { Load(scratch, settings); }));
}

} // namespace

TEST_CASE("ConfigDocument: every value knows its line and its path", "[unit][configuration]")
{
    const ScratchDirectory scratch("document-places");
    scratch.Write("c.yaml", "seed: 1\nnetwork:\n  dimensions:\n    - {size: 8}\n    - size: 4\n");
    const ConfigDocument document(scratch.Path() / "c.yaml", {});
    const ConfigNode* list = document.Root().Find("network")->Find("dimensions");
    const ConfigNode* size = list->children[1].Find("size");
    CHECK(scratch.WithoutPath(size->Where()) == "c.yaml:5");
    CHECK(size->Path() == "network.dimensions[1].size");
}

TEST_CASE("ConfigDocument: a section may be a path, relative to the file that names it",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("document-includes");
    scratch.Write("c.yaml", "network: net/a.yaml\n");
    scratch.Write("net/a.yaml", "file: b.yaml\npacket: {header: 0 B}\n");
    scratch.Write("net/b.yaml", "backend: packet\npacket: {payload: 1 KB, header: 64 B}\n");
    CHECK(Load(scratch) == "{network: {backend: packet, packet: {payload: 1 KB, header: 0 B}}}");
    const ConfigDocument document(scratch.Path() / "c.yaml", {});
    const ConfigNode* packet = document.Root().Find("network")->Find("packet");
    CHECK(scratch.WithoutPath(packet->Find("payload")->Where()) == "net/b.yaml:2");
    CHECK(scratch.WithoutPath(packet->Find("header")->Where()) == "net/a.yaml:2");
    CHECK(packet->Find("header")->Path() == "network.packet.header");
}

TEST_CASE("ConfigDocument: keys beside `file` override, mappings merged, lists replaced",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("document-overrides");
    scratch.Write("n.yaml", "dimensions: [{size: 8}, {size: 4}]\npacket: {payload: 1 KB}\n");
    scratch.Write("c.yaml", "network: {file: n.yaml, dimensions: [{size: 2}], packet: {x: y}}\n");
    CHECK(Load(scratch) == "{network: {dimensions: [{size: 2}], packet: {payload: 1 KB, x: y}}}");
    scratch.Write("c.yaml", "network: {file: n.yaml, \"dimensions[1].size\": 16}\n");
    CHECK(Load(scratch) ==
          "{network: {dimensions: [{size: 8}, {size: 16}], packet: {payload: 1 KB}}}");
    scratch.Write("c.yaml", "network: {file: n.yaml, \"dimensions[2].size\": 16}\n");
    CHECK(ErrorOf(scratch) ==
          "c.yaml:1: dimensions: has 2 items, numbered from 0; [2] is not one of them");
}

TEST_CASE("ConfigDocument: files that include each other are an error", "[unit][configuration]")
{
    const ScratchDirectory scratch("document-circle");
    scratch.Write("c.yaml", "network: a.yaml\n");
    scratch.Write("a.yaml", "file: b.yaml\n");
    scratch.Write("b.yaml", "file: a.yaml\n");
    CHECK(ErrorOf(scratch) == "b.yaml:1: \"a.yaml\" includes itself; remove \"file\"");
}

TEST_CASE("ConfigDocument: a section that is read from a list is refused, also with keys beside it",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("config-list");
    scratch.Write("list.yaml", "[1, 2]\n");
    for (const char* section : {"list.yaml", "{file: list.yaml, chunks: 4}"})
    {
        scratch.Write("c.yaml", std::string("system: ") + section + "\n");
        CHECK(ErrorOf(scratch) == "list.yaml:1: is no mapping of keys, as a section must be");
    }
}

TEST_CASE("ConfigDocument: a file may be a mere path to another one", "[unit][configuration]")
{
    const ScratchDirectory scratch("config-path");
    scratch.Write("a.yaml", "b.yaml\n");
    scratch.Write("b.yaml", "chunks: 4\n");
    scratch.Write("c.yaml", "system: a.yaml\n");
    CHECK(Load(scratch) == "{system: {chunks: 4}}");
}

TEST_CASE("ConfigDocument: a setting sets one key", "[unit][configuration]")
{
    const ScratchDirectory scratch("config-two-settings");
    scratch.Write("c.yaml", "seed: 1\n");
    CHECK(ErrorOf(scratch, {"system.chunks=4\nfoo: 3"}) ==
          "--set: \"foo\" stands on a line of its own; write a setting for each key");
}

TEST_CASE("ConfigDocument: a setting replaces, adds, and reaches into included files",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("document-settings");
    scratch.Write("n.yaml", "dimensions: [{size: 8}, {size: 4}]\n");
    scratch.Write("c.yaml", "network: n.yaml\nseed: 1\n");
    CHECK(Load(scratch, {"seed=7"}) == "{network: {dimensions: [{size: 8}, {size: 4}]}, seed: 7}");
    CHECK(Load(scratch, {"network.dimensions[1].size=2"}) ==
          "{network: {dimensions: [{size: 8}, {size: 2}]}, seed: 1}");
    CHECK(Load(scratch, {"network.packet.payload=1 KB"}) ==
          "{network: {dimensions: [{size: 8}, {size: 4}], packet: {payload: 1 KB}}, seed: 1}");
    CHECK(Load(scratch, {"network.dimensions=[{size: 3}]"}) ==
          "{network: {dimensions: [{size: 3}]}, seed: 1}");
    CHECK(Load(scratch, {"seed=2", "seed=3"}) ==
          "{network: {dimensions: [{size: 8}, {size: 4}]}, seed: 3}");
}

TEST_CASE("ConfigDocument: a setting of a file is read before settings of its keys",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("document-setting-file");
    scratch.Write("a.yaml", "packet: {payload: 1 KB}\n");
    const std::string b =
        scratch.Write("b.yaml", "packet: {payload: 2 KB, header: 1 B}\n").string();
    scratch.Write("c.yaml", "network: a.yaml\n");
    const std::string expected = "{network: {packet: {payload: 3 KB, header: 1 B}}}";
    CHECK(Load(scratch, {"network.packet.payload=3 KB", "network=" + b}) == expected);
    CHECK(Load(scratch, {"network.packet.payload=3 KB", "network.file=" + b}) == expected);
}

TEST_CASE("ConfigDocument: settings make errors as files do, at --set", "[unit][configuration]")
{
    const ScratchDirectory scratch("document-setting-errors");
    scratch.Write("c.yaml", "network: {dimensions: [{size: 8}]}\nseed: 1\n");
    const auto error = [&](const std::string& setting) { return ErrorOf(scratch, {setting}); };
    CHECK(error("seed") == "--set: \"seed\" has no \"=\"; write key.path=value");
    CHECK(error("network..x=1") == "--set: \"network..x\" is not a path of keys; write it like "
                                   "network.dimensions[0].bandwidth");
    CHECK(error("a[x]=1") == "--set: \"a[x]\" is not a path of keys; write it like "
                             "network.dimensions[0].bandwidth");
    CHECK(error("a[0]b=1") == "--set: \"a[0]b\" is not a path of keys; write it like "
                              "network.dimensions[0].bandwidth");
    CHECK(error("seed.x=1") == "--set: seed: is a single value, it has no key x");
    CHECK(error("network.dimensions.size=1") ==
          "--set: network.dimensions: is a list; say which item, as in network.dimensions[0].size");
    CHECK(error("network.dimensions.0.size=1") ==
          "--set: network.dimensions: is a list; write its item as network.dimensions[0]");
    CHECK(error("seed[0]=1") == "--set: seed: is not a list; remove [0]");
    CHECK(error("network.faults[0].loss=1") ==
          "--set: network.faults: is not written, so it has no items; write it in the file, or set "
          "it whole");
    CHECK(error("network.dimensions[1].size=1") ==
          "--set: network.dimensions: has 1 items, numbered from 0; [1] is not one of them");
    CHECK(error("seed=[1") == "--set: not valid YAML: did not find expected ',' or ']' while "
                              "parsing a flow sequence from line 1 on");
}

TEST_CASE("docs/troubleshooting.md: quotes what is said of a path with {rank} within {}",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("document-quoted");
    scratch.Write("c.yaml", "workload: {trace: run.{rank}.et}\n");
    const std::string error = ErrorOf(scratch);
    const std::string message = error.substr(error.find("not valid YAML"));
    std::ifstream file(std::string(SOURCE_DIR) + "/docs/troubleshooting.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    CAPTURE(message);
    CHECK(page.find("| `" + message + "`") != std::string::npos);
}

TEST_CASE("ConfigDocument: a section's file that is not there is told one of its name",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("document-missing");
    scratch.Write("configs/networks/hgx.yaml", "backend: flow\n");
    scratch.Write("c.yaml", "network: hgx\n");
    CHECK(ErrorOf(scratch) == "c.yaml:1: network: there is no file \"hgx\"; did you mean "
                              "\"configs/networks/hgx.yaml\"?");
    // A configuration of that name is no network.
    const auto system = scratch.Write("configs/systems/hgx.yaml", "\nnetwork: {file: hgx}\n");
    CHECK(scratch.WithoutPath(ConfigErrorText([&] { ConfigDocument(system, {}); })) ==
          "configs/systems/hgx.yaml:2: network: there is no file \"configs/systems/hgx\"; did you "
          "mean \"../networks/hgx.yaml\"?");
    scratch.Write("c.yaml", "system: hgx\n");
    CHECK(ErrorOf(scratch) == "c.yaml:1: system: there is no file \"hgx\"; "
                              "\"configs/systems/hgx.yaml\" is a whole configuration: run that, or "
                              "write its keys of system here");
    scratch.Write("c.yaml", "network: hgx\n");
    scratch.Write("hgx.yaml", "backend: flow\n");
    CHECK(ErrorOf(scratch) ==
          "c.yaml:1: network: there is no file \"hgx\"; did you mean \"hgx.yaml\"?");
    scratch.Write("c.yaml", "workload: hgy\n");
    CHECK(ErrorOf(scratch) == "c.yaml:1: workload: there is no file \"hgy\"; write the path of a "
                              "YAML file, or keys such as trace or collective");
}

TEST_CASE("ConfigDocument: anchors are copied, deep nesting is refused", "[unit][configuration]")
{
    const ScratchDirectory scratch("document-anchors");
    scratch.Write("c.yaml", "a: &x {b: 1}\nc: *x\n");
    CHECK(Load(scratch) == "{a: {b: 1}, c: {b: 1}}");
    scratch.Write("c.yaml", "a: " + std::string(70, '[') + std::string(70, ']') + "\n");
    CHECK(ErrorOf(scratch) == "c.yaml:1: nested deeper than 64 levels");
    // Nine lists of nine of the one before: 9^9 values.
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; ++i)
    {
        const std::string alias = "*a" + std::to_string(i - 1);
        std::string items = alias;
        for (int k = 1; k < 9; ++k)
        {
            items += ", " + alias;
        }
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + items + "]\n";
    }
    scratch.Write("c.yaml", bomb);
    CHECK(ErrorOf(scratch) ==
          "c.yaml:7: aliases repeat more than a million values; write out what is meant");
    // Fifty lists within each other, each with an anchor, around a list of a quarter million
    // values.
    std::string nested;
    for (int i = 0; i < 50; ++i)
    {
        nested += "&n" + std::to_string(i) + " [";
    }
    for (int i = 0; i < 250'000; ++i)
    {
        nested += "1,";
    }
    scratch.Write("c.yaml", "a: " + nested + std::string(50, ']') + "\n");
    CHECK(ErrorOf(scratch) ==
          "c.yaml:1: anchors within anchors hold more than ten million values; remove some");
}
