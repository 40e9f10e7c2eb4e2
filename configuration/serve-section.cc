// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/serve-section.h"

#include "configuration/component-codec.h"
#include "configuration/experts-section.h"
#include "configuration/instances-section.h"
#include "configuration/requests-section.h"
#include "workload/model-preset.h"
#include "workload/models/transformer-shape.h"
#include "workload/serving/serving-instances.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr uint64_t MOST_RANKS = 1U << 24;
constexpr uint64_t MOST_TOKENS = 1U << 30;

/// The kind has a single component, a transformer, so its name need not be looked at.
std::vector<ComponentPreset>
FindServedPresets(const std::string&)
{
    std::vector<ComponentPreset> presets;
    for (const ModelPreset& preset : AllModelPresets())
    {
        if (preset.model == "transformer")
        {
            presets.push_back({preset.name, preset.parameters});
        }
    }
    return presets;
}

/// Reads the shape for its errors only.
void
CheckServedModel(const ComponentChoice& choice)
{
    TransformerShape::Read(Parameters::Parse(ServedModelSpecs(), choice.parameters));
}

Codec<ComponentChoice>
MakeServedModelCodec()
{
    return MakeComponentCodec(
        {.noun = "served model",
         .nameKey = "",
         .components = {{"transformer",
                         "A transformer, dense or a mixture of experts (MoE).",
                         ServedModelSpecs()}},
         .check = &CheckServedModel,
         .presets = &FindServedPresets},
        ComponentForm::Mapping);
}

Section
DescribeBatching(ServeOptions& serve)
{
    BatchingOptions& batching = serve.batching;
    return {
        MakeField("max-tokens",
                  batching.maxTokens,
                  MakeNumberCodec(1, MOST_TOKENS),
                  "The tokens that a replica computes in one iteration at most."),
        MakeField("max-requests",
                  batching.maxRequests,
                  MakeNumberCodec(1, MOST_TOKENS),
                  "The requests that a replica has in progress at most."),
        MakeField("chunked-prefill",
                  batching.hasChunkedPrefill,
                  MakeSwitchCodec(),
                  "Whether a prompt may be computed in parts that fill up an iteration."),
        MakeField("block",
                  batching.block,
                  MakeNumberCodec(1, MOST_TOKENS),
                  "The tokens whose keys and values are in one block of the cache."),
        MakeField(
            "kv-memory",
            serve.kvMemory,
            MakeOptionalCodec("auto", MakePositiveSizeCodec()),
            "The memory of a rank for keys and values. With auto it is what the weights leave "
            "of nine tenths of the rank's memory."),
        MakeField("prefix-cache",
                  batching.hasPrefixCache,
                  MakeSwitchCodec(),
                  "Whether keys and values of a prompt's begin are kept for requests that have it "
                  "in common."),
        MakeField("preemption",
                  batching.preemption,
                  MakeChoiceCodec<Preemption>(
                      {{"recompute", Preemption::Recompute}, {"swap", Preemption::Swap}}),
                  "What becomes of a request that another one needs the blocks of: its keys and "
                  "values are dropped and computed again (recompute), or go to remote memory "
                  "(system.memory.remote) and come back (swap)."),
    };
}

/// It is written where it has an effect.
Field
DescribeKvTransfer(ServeOptions& serve)
{
    using When = KvTransferOptions::When;
    using Mode = KvTransferOptions::Mode;
    Field field = MakeSectionField(
        "kv-transfer",
        {MakeField("when",
                   serve.kvTransfer.when,
                   MakeChoiceCodec<When>({{"layer", When::Layer}, {"end", When::End}}),
                   "When keys and values go from prefill to decode: those of each "
                   "layer when it is computed, the decode instance having room "
                   "before the prompt begins (layer); or all when the prompt is "
                   "computed and the decode instance has room (end)."),
         MakeField("mode",
                   serve.kvTransfer.mode,
                   MakeChoiceCodec<Mode>({{"push", Mode::Push}, {"pull", Mode::Pull}}),
                   "Who begins: the rank that has keys and values sends them "
                   "(push), or waits until the rank that needs them has asked "
                   "with a message without payload (pull).")},
        "How keys and values come from prefill to decode.");
    // CheckServe refuses the key where no instance needs it.
    field.write = [write = field.write, &serve]() -> std::optional<Json>
    { return serve.HasRole(ServingRole::Prefill) ? write() : std::nullopt; };
    return field;
}

/// It is written where it has an effect, as `kv-transfer` is.
Field
DescribeExperts(ServeOptions& serve)
{
    Field field = MakeExpertsField(serve.experts);
    field.write = [write = field.write, &serve]() -> std::optional<Json>
    { return serve.RoutesTokens() ? write() : std::nullopt; };
    return field;
}

Section
DescribeServe(ServeOptions& serve)
{
    return {
        WithExample(MakeRequiredField("model",
                                      serve.model,
                                      MakeServedModelCodec(),
                                      "The model: {preset: NAME, dtype: TYPE, <parameters>}."),
                    {{"preset", "llama3-70b"}, {"dtype", "bf16"}}),
        MakeRequestsField(serve),
        MakeInstancesField(serve.instances),
        MakeField("router",
                  serve.router,
                  MakeChoiceCodec<RoutingPolicy>({{"round-robin", RoutingPolicy::RoundRobin},
                                                  {"random", RoutingPolicy::Random},
                                                  {"least-loaded", RoutingPolicy::LeastLoaded},
                                                  {"prefix", RoutingPolicy::Prefix}}),
                  "Which replica takes a request: one after the other (round-robin), a drawn one "
                  "(random), that with the fewest tokens to compute (least-loaded), or that with "
                  "the most of the prompt in its cache (prefix)."),
        MakeSectionField("batching", DescribeBatching(serve), "How a replica makes its batches."),
        DescribeKvTransfer(serve),
        DescribeExperts(serve),
        MakeField("layers",
                  serve.layers,
                  MakeOptionalCodec("all", MakeNumberCodec(1, 1U << 20)),
                  "How many layers of each stage are simulated in full. The others take as long as "
                  "these do in the mean, without traffic. With attention and experts apart they "
                  "take what the last of these adds, which needs two or more."),
        MakeSectionField("slo",
                         {MakeOptionalField("ttft",
                                            serve.serviceLevel.ttft,
                                            MakePositiveTimeCodec(),
                                            "The time to the first token that a request should "
                                            "keep."),
                          MakeOptionalField("tpot",
                                            serve.serviceLevel.tpot,
                                            MakePositiveTimeCodec(),
                                            "The time for each further token that a request should "
                                            "keep.")},
                         "What a request should keep to count for the goodput."),
    };
}

/// Why `experts` has no effect, and what would give it one. Requires: it has none.
std::string
ExplainUnroutedTokens(const ServeOptions& serve)
{
    const Parameters model = Parameters::Parse(ServedModelSpecs(), serve.model.parameters);
    if (TransformerShape::Read(model).experts == 0)
    {
        return "the model has no experts; remove this key, or use a model with experts, and ep "
               "above 1";
    }
    if (serve.HasFfn())
    {
        return "has no effect on an ffn instance, whose experts get equal shares of all tokens; "
               "remove it";
    }
    return "has no effect with ep 1, where each rank has a part of every expert; remove it, or "
           "write a larger ep at an instance";
}

void
CheckExperts(const ConfigNode& node, const ServeOptions& serve)
{
    const ConfigNode* const experts = node.Find("experts");
    if (experts != nullptr && !serve.RoutesTokens())
    {
        experts->FailAtKey(ExplainUnroutedTokens(serve));
    }
}

/// Of the key `layers`, which is given.
void
CheckLayers(const ConfigNode& node, uint64_t inFull, const ServingInstance& instance)
{
    // No stage has more layers than the first (ForwardModel::FirstLayer).
    const uint64_t layers = instance.Model().LayersOf(0);
    if (inFull > layers)
    {
        node.Fail(fmt::format("{} has {} layers in a stage; write {} or fewer, or all",
                              instance.Name(),
                              layers,
                              layers));
    }
    if (instance.IsAttention() && inFull == 1 && layers > 1)
    {
        node.Fail(fmt::format("the layers of {} and its experts overlap, so a single one does not "
                              "tell how much each further one adds; write 2 or more, or all",
                              instance.Name()));
    }
}

/// What depends on several keys. The number of ranks is checked before the instances are made, as
/// it bounds their number. They are made for their errors only: the run makes its own.
void
CheckServe(const ConfigNode& node, ServeOptions& serve)
{
    const ConfigNode& instances = *node.Find("instances");
    if (serve.instances.empty())
    {
        instances.Fail("is empty; write at least one instance, such as {role: both, tp: 8}");
    }
    const ConfigNode* const transfer = node.Find("kv-transfer");
    if (transfer != nullptr && !serve.HasRole(ServingRole::Prefill) &&
        !serve.HasRole(ServingRole::Decode))
    {
        transfer->FailAtKey(
            "has an effect with instances of role prefill and decode only; remove it");
    }
    CheckExperts(node, serve);
    if (serve.RankCount() > MOST_RANKS)
    {
        instances.Fail("has more than " + std::to_string(MOST_RANKS) +
                       " ranks; write smaller numbers");
    }
    // Any seed will do, as only the errors count here. But with drawn weights the seed says which
    // ranks have the replicas of experts, and it is not read yet: whether replicas fit the memory
    // is found when the input of the run is made.
    constexpr uint64_t seed = 1;
    ServeOptions withoutReplicas = serve;
    withoutReplicas.experts.hottest = 0;
    for (const ServingInstance& instance : MakeServingInstances(withoutReplicas, seed))
    {
        if (serve.layers)
        {
            CheckLayers(*node.Find("layers"), *serve.layers, instance);
        }
        if (instance.HasRouter())
        {
            MakeExpertRouter(serve, instance, seed); // throws for what does not fit
        }
    }
}

} // namespace

Field
MakeServeField(std::optional<ServeOptions>& serve)
{
    Codec<ServeOptions> codec = MakeMappingCodec<ServeOptions>(&DescribeServe);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        ServeOptions value = read(node);
        value.where = node.Where();
        CheckServe(node, value);
        return value;
    };
    return WithExample(
        MakeOptionalField(
            "serve",
            serve,
            codec,
            "A cluster that serves a model: the requests, the instances, and how they "
            "make batches."),
        {{"model", {{"preset", "llama3-8b"}}},
         {"requests", {{"rate", "20 /s"}, {"count", 1000}}},
         {"instances", Json::array({{{"tp", 8}}})}});
}

} // namespace nadi
