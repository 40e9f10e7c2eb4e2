// SPDX-License-Identifier: GPL-2.0-only
#include "importers/import-values.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "configuration/config-document.h"
#include "configuration/yaml-reader.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace nadi
{

namespace
{

/// A quantity as a whole number of its unit. It has to fit into 63 bits, as all quantities here.
int64_t
Round(const ConfigNode& node, double value)
{
    // The largest int64_t is no double. The cast rounds it up to 2^63, which is the first value
    // that is too large.
    if (value >= static_cast<double>(std::numeric_limits<int64_t>::max()))
    {
        node.Fail("\"" + node.text + "\" is too large; write a smaller number");
    }
    return std::llround(value);
}

} // namespace

// JSON and lines of `key: value` are YAML too, so one reader serves all generations of files.
ImportFile
ReadImportFile(const std::filesystem::path& file, const std::string& option)
{
    std::ifstream stream = OpenFile(file, option);
    ImportFile read;
    read.source = std::make_unique<SourceText>(SourceText{file.string(), file.parent_path(), true});
    read.root = ReadYaml(stream, *read.source);
    read.root.Seal();
    if (read.root.kind != ConfigNode::Kind::Map)
    {
        read.root.Fail("is not a mapping of keys; name a file of ASTRA-sim's");
    }
    return read;
}

SourceDefaults::SourceDefaults(const ConfigNode& root, const std::vector<SourceDefault>& defaults)
    : m_place{root.source->name + " (default)", root.source->directory, false}
    , m_complete(root)
{
    for (const SourceDefault& absent : defaults)
    {
        if (root.Find(absent.key) == nullptr)
        {
            m_complete.children.push_back(MakeNode(absent));
        }
    }
    // The copies of the values still name those of `root` as their parents.
    m_complete.Seal();
}

ConfigNode
SourceDefaults::MakeNode(const SourceDefault& absent) const
{
    ConfigNode node;
    node.kind = ConfigNode::Kind::Scalar;
    node.key = absent.key;
    node.text = absent.value;
    // The place has no lines, so errors and notes name the file and "(default)" alone.
    node.source = &m_place;
    return node;
}

double
ReadNumber(const ConfigNode& node)
{
    const std::string& text = node.Scalar("a number");
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    // from_chars reads "nan" and "inf" as numbers. No comparison with NaN is true, so `>=` is asked
    // and negated.
    if (error != std::errc{} || end != last || !(value >= 0) || std::isinf(value))
    {
        node.Fail("\"" + text + "\" is not valid; write a number from 0");
    }
    return value;
}

uint32_t
ReadWholeNumber(const ConfigNode& node)
{
    // "8.0" and "1e3" are whole numbers too: JSON may have them.
    const double value = ReadNumber(node);
    if (value != std::floor(value) || value > std::numeric_limits<uint32_t>::max())
    {
        node.Fail("\"" + node.text + "\" is not valid; write a whole number");
    }
    return static_cast<uint32_t>(value);
}

bool
ReadFlag(const ConfigNode& node)
{
    const std::string& text = node.Scalar("0 or 1");
    if (text == "true" || text == "false")
    {
        return text == "true";
    }
    return ReadNumber(node) != 0;
}

std::vector<const ConfigNode*>
ReadItems(const ConfigNode& node)
{
    // A file of one dimension may have plain values in place of lists.
    if (node.kind != ConfigNode::Kind::List)
    {
        return {&node};
    }
    std::vector<const ConfigNode*> items;
    for (const ConfigNode& child : node.children)
    {
        items.push_back(&child);
    }
    return items;
}

SimTime
ReadNanoseconds(const ConfigNode& node)
{
    return SimTime::FromPs(Round(node, ReadNumber(node) * 1000));
}

Bandwidth
ReadRate(const ConfigNode& node, double bytesPerSecond)
{
    const int64_t bits = Round(node, ReadNumber(node) * bytesPerSecond * 8);
    // A rate below half a bit per second is rounded to 0, and refused too.
    if (bits == 0)
    {
        node.Fail("must not be 0");
    }
    return Bandwidth::FromBitsPerSecond(bits);
}

FlopRate
ReadFlopRate(const ConfigNode& node, double flopsPerSecond)
{
    const int64_t rate = Round(node, ReadNumber(node) * flopsPerSecond);
    if (rate == 0)
    {
        node.Fail("must not be 0");
    }
    return FlopRate::FromFlopsPerSecond(rate);
}

std::string
Translate(const ConfigNode& node, const std::map<std::string, std::string>& names)
{
    const auto found = names.find(node.Scalar("a word"));
    if (found == names.end())
    {
        std::vector<std::string> known;
        for (const auto& [name, ours] : names)
        {
            known.push_back(name);
        }
        node.Fail("\"" + node.text + "\" is not valid; write " + JoinWithOr(known));
    }
    return found->second;
}

std::string
GigabytesText(const ConfigNode& node, double parts)
{
    return ToText(ReadRate(node, GIGA / parts));
}

} // namespace nadi
