// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/instances-section.h"

#include "configuration/placement-codec.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace nadi
{

namespace
{

constexpr uint32_t MOST_DEGREE = 1U << 20;

/// A key that has an effect with one role only; it is written with that role.
/// CheckInstance refuses the key with any other role.
Field
OnlyOf(Field field, const InstanceOptions& instance, ServingRole role)
{
    field.write = [write = field.write, &instance, role]() -> std::optional<Json>
    { return instance.role == role ? write() : std::nullopt; };
    return field;
}

Section
DescribeInstance(InstanceOptions& instance)
{
    const Codec<uint32_t> degree = MakeCountCodec(1, MOST_DEGREE);
    return {
        MakeField("role",
                  instance.role,
                  MakeChoiceCodec<ServingRole>({{"both", ServingRole::Both},
                                                {"prefill", ServingRole::Prefill},
                                                {"decode", ServingRole::Decode},
                                                {"attention", ServingRole::Attention},
                                                {"ffn", ServingRole::Ffn}}),
                  "What it does of a request: all of it (both); the prompt and the first token "
                  "(prefill); the other tokens (decode); what phase says, but for the experts "
                  "(attention); or the experts of an attention instance (ffn)."),
        OnlyOf(MakeField("phase",
                         instance.phase,
                         MakeChoiceCodec<ServingRole>({{"both", ServingRole::Both},
                                                       {"prefill", ServingRole::Prefill},
                                                       {"decode", ServingRole::Decode}}),
                         "What an attention instance does of a request."),
               instance,
               ServingRole::Attention),
        OnlyOf(WithExample(MakeField("name",
                                     instance.name,
                                     MakeTextCodec("a name, such as a"),
                                     "The name of an attention instance, for its pair."),
                           "a"),
               instance,
               ServingRole::Attention),
        OnlyOf(WithExample(MakeField("pair",
                                     instance.pair,
                                     MakeTextCodec("the name of an attention instance"),
                                     "The name of the attention instance whose experts an ffn "
                                     "instance has, on ep ranks."),
                           "a"),
               instance,
               ServingRole::Ffn),
        OnlyOf(MakeField("micro-batches",
                         instance.microBatches,
                         degree,
                         "The parts into which an attention instance cuts a batch: while one is "
                         "with the experts, the attention of others is computed."),
               instance,
               ServingRole::Attention),
        MakeField("count", instance.count, degree, "How many instances of this kind there are."),
        MakeField(
            "tp",
            instance.tensor,
            degree,
            "The degree of tensor parallelism: the ranks that share the matrices of a layer."),
        MakeField("pp",
                  instance.pipeline,
                  degree,
                  "The degree of pipeline parallelism: the stages that the layers are cut into."),
        MakeField("dp",
                  instance.data,
                  degree,
                  "The number of replicas, each with requests and batches of its own. An instance "
                  "has tp * pp * dp ranks, the next ones that are free."),
        MakeField("ep",
                  instance.expert,
                  degree,
                  "The degree of expert parallelism: the neighbouring ranks of a stage over which "
                  "the experts of a layer are spread, whole. It must be a multiple of tp, and "
                  "divide tp * dp and the experts. With 1 each expert is cut over the tp ranks."),
        WithExample(MakeOptionalField("npus",
                                      instance.npus,
                                      MakeNpusCodec(),
                                      "The NPUs of its ranks, in order, those of all instances of "
                                      "the entry one after the other. Without it they are the next "
                                      "ones that no instance names."),
                    {0, 1, 2, 3}),
        MakeField("memory",
                  instance.memory,
                  MakePositiveSizeCodec(),
                  "The memory of a rank. Nine tenths of it hold weights, keys and values."),
    };
}

/// Throws ConfigError at a key that has no effect with this role, for a key that this role needs,
/// and for NPUs that are more or fewer than the ranks.
void
CheckInstance(const ConfigNode& node, const InstanceOptions& instance)
{
    const auto check = [&](const char* key, ServingRole role, bool isNeeded)
    {
        const ConfigNode* const given = node.Find(key);
        if (given != nullptr && instance.role != role)
        {
            given->FailAtKey("has an effect with role: " + ToText(role) + " only; remove it");
        }
        if (given == nullptr && isNeeded && instance.role == role)
        {
            node.Fail(std::string("key \"") + key + "\" is missing; write a name, such as a");
        }
    };
    check("phase", ServingRole::Attention, false);
    check("name", ServingRole::Attention, true);
    check("micro-batches", ServingRole::Attention, false);
    check("pair", ServingRole::Ffn, true);
    const uint64_t ranks = instance.RanksOfOne() * instance.count;
    if (instance.npus && instance.npus->size() != ranks)
    {
        node.Find("npus")->Fail(fmt::format(
            "names {} NPUs for {} ranks; write one for each rank", instance.npus->size(), ranks));
    }
}

/// An NPU is named once, by one instance.
void
CheckNpusOfInstances(const ConfigNode& node, const std::vector<InstanceOptions>& instances)
{
    // MakeNpusCodec has refused an NPU that is twice in one entry. A repeat here is between two
    // entries.
    std::map<uint32_t, size_t> entryOfNpu;
    for (size_t entry = 0; entry < instances.size(); ++entry)
    {
        for (const uint32_t npu : instances[entry].npus.value_or(std::vector<uint32_t>()))
        {
            const auto [known, isNew] = entryOfNpu.emplace(npu, entry);
            if (!isNew)
            {
                node.children[entry].Find("npus")->Fail(
                    fmt::format("npu{} is of instances[{}] already; write an NPU of its own for "
                                "each rank",
                                npu,
                                known->second));
            }
        }
    }
}

Codec<InstanceOptions>
MakeInstanceCodec()
{
    Codec<InstanceOptions> codec = MakeMappingCodec<InstanceOptions>(&DescribeInstance);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        InstanceOptions instance = read(node);
        CheckInstance(node, instance);
        instance.where = node.Where() + ": " + node.Path();
        return instance;
    };
    return codec;
}

Codec<std::vector<InstanceOptions>>
MakeInstancesCodec()
{
    Codec<std::vector<InstanceOptions>> codec =
        MakeListCodec(MakeInstanceCodec(), "a list of instances");
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        std::vector<InstanceOptions> instances = read(node);
        CheckNpusOfInstances(node, instances);
        return instances;
    };
    return codec;
}

} // namespace

Field
MakeInstancesField(std::vector<InstanceOptions>& instances)
{
    return WithExample(
        MakeRequiredField("instances",
                          instances,
                          MakeInstancesCodec(),
                          "What serves the model: a list of {role, count, tp, pp, dp, ep, memory}. "
                          "Ranks are dealt out to them in order."),
        Json::array({{{"role", "both"}, {"tp", 8}}}));
}

} // namespace nadi
