// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/in-network-section.h"

#include "configuration/packet-codecs.h"

#include <limits>

namespace nadi
{

namespace
{

const std::string EXPECTED_PLACES = "unlimited, a number of trees, or {per-port: a number}";

/// A number counts the trees of a whole switch; {per-port: n} those of each of its ports.
TreePlaces
ReadPlaces(const ConfigNode& node)
{
    const Codec<uint32_t> count = MakeCountCodec(1);
    if (node.kind == ConfigNode::Kind::Map)
    {
        TreePlaces places{TreePlaces::Kind::PerPort};
        ReadSection(node, {MakeRequiredField("per-port", places.count, count, "Trees at a port.")});
        return places;
    }
    const std::string& text = node.Scalar(EXPECTED_PLACES);
    if (text == "unlimited")
    {
        return {};
    }
    // A text without a leading digit is no attempt to write a number, so the error names all forms.
    if (text.empty() || text[0] < '0' || text[0] > '9')
    {
        node.Fail("\"" + text + "\" is not valid; write " + EXPECTED_PLACES);
    }
    return {TreePlaces::Kind::PerSwitch, count.read(node)};
}

Json
WritePlaces(const TreePlaces& places)
{
    switch (places.kind)
    {
    case TreePlaces::Kind::PerSwitch:
        return places.count;
    case TreePlaces::Kind::PerPort:
        return {{"per-port", places.count}};
    case TreePlaces::Kind::Unlimited:
        break;
    }
    return "unlimited";
}

Codec<TreePlaces>
MakePlacesCodec()
{
    Codec<TreePlaces> codec;
    codec.schema = []
    {
        const Json count = MakeCountCodec(1).schema.Get();
        Json atPort = count;
        atPort["description"] = "How many trees use a port of a switch at a time.";
        const Json perPort{{"type", "object"},
                           {"properties", {{"per-port", atPort}}},
                           {"required", Json::array({"per-port"})},
                           {"additionalProperties", false}};
        return Json{{"anyOf", Json::array({Json{{"const", "unlimited"}}, count, perPort})}};
    };
    codec.read = &ReadPlaces;
    codec.write = &WritePlaces;
    return codec;
}

Section
DescribeInNetwork(InNetworkOptions& options)
{
    const std::string names = "a list of names of switches, such as [leaf*]";
    return {
        MakeField("switches",
                  options.switches,
                  MakeOptionalCodec("all", MakeListCodec(MakeTextCodec(names), names)),
                  "Which switches compute: all, or a list of names, in which * stands for any "
                  "letters. NICs that NPUs share compute only where a list names them."),
        MakeField("latency",
                  options.latency,
                  MakeTimeCodec(),
                  "The time that a switch takes for each slice, besides the time to receive it."),
        MakeField("bandwidth",
                  options.bandwidth,
                  MakeOptionalCodec("line-rate", MakeRateCodec()),
                  "The rate at which a switch reduces what one link brings: line-rate (as fast as "
                  "the link), or a rate."),
        MakeField("groups",
                  options.places,
                  MakePlacesCodec(),
                  "How many trees a switch serves at a time: unlimited, a number, or {per-port: a "
                  "number}."),
        MakeField(
            "when-busy",
            options.whenBusy,
            MakeChoiceCodec<InNetworkOptions::WhenBusy>(
                {{"wait", InNetworkOptions::WhenBusy::Wait},
                 {"endpoint", InNetworkOptions::WhenBusy::Endpoint}}),
            "What a collective does that finds no place for its trees: it waits, or its ranks "
            "run the default algorithm."),
    };
}

} // namespace

Field
MakeInNetworkField(NetworkConfig& network)
{
    const std::string expected = "on, off or {switches, latency, bandwidth, groups}";
    Field field = MakeField(
        "in-network",
        network.inNetwork,
        MakeSwitchedCodec<InNetworkOptions>(&DescribeInNetwork, expected),
        "Whether switches reduce and multicast, for the algorithms in-network and nvls: " +
            expected + ".");
    field.read = [&network, read = field.read](const ConfigNode& node)
    {
        read(node);
        if (network.inNetwork)
        {
            // The names of switches are looked up when the topology is made. Errors then need this
            // place.
            network.inNetwork->where = node.Where() + ": " + node.Path();
        }
    };
    return field;
}

} // namespace nadi
