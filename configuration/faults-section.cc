// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/faults-section.h"

#include "common/unit-parser.h"
#include "configuration/link-codec.h"
#include "configuration/packet-codecs.h"

namespace nadi
{

namespace
{

/// `state: down`; links that are up need no entry.
/// The codec has no word for false, so the field writes itself.
Field
MakeStateField(FaultSpec& fault)
{
    Field field = MakeField("state",
                            fault.isDown,
                            MakeChoiceCodec<bool>({{"down", true}}),
                            "With down, nothing gets through.");
    field.write = [&fault]() -> std::optional<Json>
    { return fault.isDown ? std::optional<Json>("down") : std::nullopt; };
    return field;
}

Codec<double>
MakeLossCodec()
{
    Codec<double> codec = MakeProbabilityCodec();
    codec.schema = [] { return Json{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}}; };
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const double loss = read(node);
        if (loss == 0)
        {
            node.Fail("must not be 0, which loses nothing; write a number up to 1, such as 1e-3");
        }
        return loss;
    };
    return codec;
}

Field
MakeLinksField(FaultSpec& fault)
{
    return MakeRequiredField("link",
                             fault.link,
                             MakeOptionalCodec("all", MakeLinkCodec()),
                             "[a, b] for both directions of the links between two nodes, or all.");
}

Section
DescribeFault(FaultSpec& fault)
{
    return {
        MakeField("at", fault.at, MakeTimeCodec(), "When the fault begins."),
        MakeOptionalField("until",
                          fault.until,
                          MakeTimeCodec(),
                          "When the fault ends. Without it, it never does."),
        MakeLinksField(fault),
        MakeStateField(fault),
        WithExample(
            MakeOptionalField(
                "loss", fault.loss, MakeLossCodec(), "The probability with which a frame is lost."),
            0.001),
        MakeOptionalField("bandwidth",
                          fault.bandwidth,
                          MakeRateCodec(),
                          "The bandwidth that the link has instead of its own."),
    };
}

/// An entry has one effect: several effects on one link are several entries.
void
CheckFault(const ConfigNode& node, const FaultSpec& fault)
{
    const int kinds = (fault.isDown ? 1 : 0) + (fault.loss ? 1 : 0) + (fault.bandwidth ? 1 : 0);
    if (kinds != 1)
    {
        node.Fail(std::string(kinds == 0 ? "does nothing" : "does several things at once") +
                  "; write one of state: down, loss and bandwidth");
    }
    if (fault.until && fault.at >= *fault.until)
    {
        node.Find("until")->Fail("ends at " + ToText(*fault.until) + ", but begins at " +
                                 ToText(fault.at) + "; write a later time");
    }
}

Codec<FaultSpec>
MakeFaultCodec()
{
    Codec<FaultSpec> codec = MakeMappingCodec<FaultSpec>(&DescribeFault);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        FaultSpec fault = read(node);
        CheckFault(node, fault);
        fault.where = node.Where() + ": " + node.Path();
        return fault;
    };
    return codec;
}

} // namespace

Field
MakeFaultsField(NetworkConfig& network)
{
    return WithExample(
        MakeField(
            "faults",
            network.faults,
            MakeListCodec(MakeFaultCodec(), "a list of {at, link, state: down}"),
            "Links that fail, lose frames or become slower: a list of {at, until, link, and one of "
            "state, loss and bandwidth}."),
        Json::array(
            {{{"at", "1 ms"}, {"link", Json::array({"leaf0", "spine0"})}, {"state", "down"}}}));
}

} // namespace nadi
