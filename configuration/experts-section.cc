// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/experts-section.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

using RoutingKind = ExpertRoutingOptions::Routing;

/// What `routing` says: a word, or a mapping of one key.
struct RoutingChoice
{
    RoutingKind kind = RoutingKind::Uniform;
    std::optional<double> zipf;
    std::optional<double> dirichlet;
    std::optional<std::string> trace;
};

Section
DescribeSkewedRouting(RoutingChoice& choice)
{
    return {
        WithExample(
            MakeOptionalField("zipf",
                              choice.zipf,
                              MakeFactorCodec(),
                              "The exponent s of Zipf's law: the i-th expert has the weight "
                              "1 / i^s. Which expert is the first is drawn for each layer."),
            0.3),
        WithExample(MakeOptionalField("dirichlet",
                                      choice.dirichlet,
                                      MakeFactorCodec(),
                                      "The concentration with which the weights of each layer are "
                                      "drawn; small ones make few experts hot."),
                    1.0),
        WithExample(MakeOptionalField("trace",
                                      choice.trace,
                                      MakePathCodec(),
                                      "A CSV file of recorded tokens, with the columns "
                                      "layer,expert,tokens or iteration,layer,rank,expert,tokens; "
                                      "layers count those with experts, from 0; the rank is the "
                                      "place, from 0, among those that share the "
                                      "experts."),
                    "experts.csv"),
    };
}

/// Checks by hand that one of the three keys is given: a section can require a key, but not one of
/// several.
void
SetRouting(const ConfigNode& node, const RoutingChoice& choice, ExpertRoutingOptions& experts)
{
    const int given = (choice.zipf ? 1 : 0) + (choice.dirichlet ? 1 : 0) + (choice.trace ? 1 : 0);
    if (given != 1)
    {
        node.Fail("needs one of zipf, dirichlet and trace");
    }
    if (choice.trace)
    {
        experts.routing = RoutingKind::Trace;
        experts.trace = *choice.trace;
        return;
    }
    experts.routing = choice.zipf ? RoutingKind::Zipf : RoutingKind::Dirichlet;
    experts.parameter = choice.zipf ? *choice.zipf : *choice.dirichlet;
}

/// `parameter` is the exponent of Zipf's law or the concentration of Dirichlet's distribution.
Json
WriteRouting(const ExpertRoutingOptions& experts)
{
    switch (experts.routing)
    {
    case RoutingKind::Uniform:
        return "uniform";
    case RoutingKind::Balanced:
        return "balanced";
    case RoutingKind::Zipf:
        return Json{{"zipf", experts.parameter}};
    case RoutingKind::Dirichlet:
        return Json{{"dirichlet", experts.parameter}};
    default:
        return Json{{"trace", experts.trace}};
    }
}

/// The routing and its parameter; the rest keeps its defaults.
/// The one value sets up to three members (routing, parameter, trace), so the codec reads and
/// writes whole options.
Codec<ExpertRoutingOptions>
MakeRoutingCodec()
{
    const Codec<RoutingKind> word = MakeChoiceCodec<RoutingKind>(
        {{"uniform", RoutingKind::Uniform}, {"balanced", RoutingKind::Balanced}});
    const Codec<RoutingChoice> mapping = MakeMappingCodec<RoutingChoice>(&DescribeSkewedRouting);
    Codec<ExpertRoutingOptions> codec;
    codec.schema = [word, mapping] {
        return Json{{"anyOf", Json::array({word.schema.Get(), mapping.schema.Get()})}};
    };
    codec.read = [word, mapping](const ConfigNode& node)
    {
        ExpertRoutingOptions experts;
        if (node.kind == ConfigNode::Kind::Map)
        {
            SetRouting(node, mapping.read(node), experts);
        }
        else
        {
            experts.routing = word.read(node);
        }
        return experts;
    };
    codec.write = &WriteRouting;
    return codec;
}

Field
MakeRoutingField(ExpertRoutingOptions& experts)
{
    const Codec<ExpertRoutingOptions> codec = MakeRoutingCodec();
    Field field;
    field.name = "routing";
    field.help = "Which experts a token goes to: any, with equal chances (uniform); each in turn "
                 "(balanced); or with weights, {zipf: s}, {dirichlet: a} or {trace: FILE}.";
    field.schema = codec.schema.With("examples", Json::array({Json{{"zipf", 0.3}}}));
    field.read = [&experts, read = codec.read](const ConfigNode& node)
    {
        // The codec returns whole options, but only these three belong to `routing`. The other keys
        // of `experts` have fields of their own, whose values must stay.
        const ExpertRoutingOptions routing = read(node);
        experts.routing = routing.routing;
        experts.parameter = routing.parameter;
        experts.trace = routing.trace;
    };
    field.write = [&experts, write = codec.write]() -> std::optional<Json>
    { return write(experts); };
    return field;
}

/// Either key has an effect with the other one only. Values that are the defaults do no harm.
void
CheckReplicas(const ConfigNode& node, const ExpertRoutingOptions& experts)
{
    if (experts.hottest > 0 && node.Find("copies") == nullptr)
    {
        node.Fail(fmt::format("hottest: {} without copies: each expert lies on one rank; write "
                              "{{hottest: {}, copies: 2}}",
                              experts.hottest,
                              experts.hottest));
    }
    if (experts.replicas > 1 && node.Find("hottest") == nullptr)
    {
        node.Fail(fmt::format("copies: {} without hottest: of no expert; write {{hottest: 1, "
                              "copies: {}}}",
                              experts.replicas,
                              experts.replicas));
    }
}

Field
MakeReplicasField(ExpertRoutingOptions& experts)
{
    Field field = MakeSectionField(
        "replicas",
        {MakeField("hottest",
                   experts.hottest,
                   MakeCountCodec(0),
                   "The experts of each layer, the hottest ones, that lie on "
                   "several ranks."),
         MakeField("copies",
                   experts.replicas,
                   MakeCountCodec(1),
                   "On how many ranks each of these lies; they share its tokens.")},
        "Hot experts that lie on several ranks.");
    field.read = [read = field.read, &experts](const ConfigNode& node)
    {
        read(node);
        CheckReplicas(node, experts);
    };
    return field;
}

} // namespace

Field
MakeExpertsField(ExpertRoutingOptions& experts)
{
    using Copies = ExpertRoutingOptions::Copies;
    return MakeSectionField(
        "experts",
        {MakeRoutingField(experts),
         MakeField(
             "copies",
             experts.copies,
             MakeChoiceCodec<Copies>(
                 {{"per-expert", Copies::PerExpert}, {"per-rank", Copies::PerRank}}),
             "How often a token is sent: to each of its experts (per-expert), or once to each "
             "rank that has some of them (per-rank)."),
         MakeReplicasField(experts)},
        "Which experts tokens go to, where experts lie on several ranks.");
}

} // namespace nadi
