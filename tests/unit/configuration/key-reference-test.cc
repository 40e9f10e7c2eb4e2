// SPDX-License-Identifier: GPL-2.0-only
// docs/configuration.md is generated from the declarations of the keys. With NADI_UPDATE_DOCS=1 the
// page is written anew.
#include "configuration/config.h"
#include "configuration/key-reference.h"
#include "tests/support/generated-file.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr const char* KEYS_BEGIN = "<!-- generated: keys -->\n";

/// The page with what follows KEYS_BEGIN replaced by the declared keys.
std::string
WithKeys(const std::string& page)
{
    const size_t begin = page.find(KEYS_BEGIN);
    REQUIRE(begin != std::string::npos);
    return page.substr(0, begin) + KEYS_BEGIN + "\n" + ToMarkdown(DescribeKeys());
}

} // namespace

TEST_CASE("Key reference: docs/configuration.md has every key", "[unit][configuration][keys]")
{
    const std::filesystem::path page = std::filesystem::path(SOURCE_DIR) / "docs/configuration.md";
    CheckGeneratedFile("docs/configuration.md", WithKeys(ReadWholeFile(page)));
}

TEST_CASE("Key reference: a key without effect where it is left out has its default all the same",
          "[unit][configuration][keys]")
{
    const std::map<std::string, std::string> defaults{
        {"seed", std::to_string(Config{}.seed)},
        {"system.compute.outside", "error"},
        {"system.memory.remote.place", "own"},
        {"system.memory.remote.slice", "64 KiB"},
        {"system.collectives.all-reduce.scale", "off"},
    };
    std::map<std::string, std::string> told;
    for (const KeyGroup& group : DescribeKeys())
    {
        for (const KeyDescription& key : group.keys)
        {
            if (defaults.contains(key.path))
            {
                told[key.path] = key.defaultText;
            }
        }
    }
    CHECK(told == defaults);
}

TEST_CASE("Key reference: every key is described once, by sentences, with its values",
          "[unit][configuration][keys]")
{
    for (const KeyGroup& group : DescribeKeys())
    {
        std::set<std::string> paths;
        CHECK(group.meaning.ends_with('.'));
        for (const KeyDescription& key : group.keys)
        {
            INFO(group.title << ": " << key.path << ": " << key.meaning);
            CHECK(paths.insert(key.path).second);
            CHECK(!key.values.empty());
            CHECK(key.meaning.ends_with('.'));
            CHECK(!key.example.empty());
        }
    }
}
