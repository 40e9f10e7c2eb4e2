// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/generate-section.h"

#include "configuration/generator-section.h"
#include "configuration/registry-codec.h"
#include "common/error.h"
#include "workload/model-preset.h"

namespace nadi
{

namespace
{

constexpr const char* NO_PRESET = "none";

const Registry<WorkloadModel>&
Models()
{
    return Registry<WorkloadModel>::Instance();
}

std::vector<std::string>
PresetWords(const std::string& model)
{
    std::vector<std::string> words = PresetsOf(model);
    words.insert(words.begin(), NO_PRESET);
    return words;
}

/// Requires: the choice names a model.
Section
DescribeModel(ModelChoice& choice)
{
    Section section =
        DescribeParameters(Models().Find(choice.model)->parameters, choice.parameters);
    section.insert(
        section.begin(),
        {MakeRequiredField(
             "model", choice.model, MakeRegistryCodec<WorkloadModel>(), "which kind of training"),
         MakeField("preset",
                   choice.preset,
                   MakeWordCodec(PresetWords(choice.model)),
                   "a published model, whose figures stand where none is given")});
    return section;
}

/// Throws ConfigError at the value of the parameter that is at fault, where it is written.
void
CheckModel(const ConfigNode& node, const ModelChoice& choice)
{
    try
    {
        MakeWorkloadModel(choice);
    }
    catch (const ConfigError& error)
    {
        if (const ConfigNode* parameter = node.Find(error.Where()))
        {
            parameter->Fail(error.Problem());
        }
        node.Fail(error.what());
    }
}

ModelChoice
ReadModelChoice(const ConfigNode& node)
{
    const ConfigNode* model = node.kind == ConfigNode::Kind::Map ? node.Find("model") : nullptr;
    if (model == nullptr)
    {
        node.Fail("names no model; write {model: " + Models().Names().front() + ", ...}");
    }
    ModelChoice choice;
    choice.model = MakeRegistryCodec<WorkloadModel>().read(*model);
    if (const ConfigNode* preset = node.Find("preset"))
    {
        const std::string name = MakeWordCodec(PresetWords(choice.model)).read(*preset);
        const ModelPreset* found = FindModelPreset(name);
        choice.parameters = found == nullptr ? choice.parameters : found->parameters;
    }
    ReadSection(node, DescribeModel(choice));
    choice.parameters =
        CompleteParameters(Models().Find(choice.model)->parameters, choice.parameters);
    CheckModel(node, choice);
    return choice;
}

/// One of the models, each with its parameters.
Json
MakeModelSchema()
{
    Json choices = Json::array();
    for (const std::string& name : Models().Names())
    {
        ModelChoice choice;
        choice.model = name;
        Json schema = MakeSectionSchema(DescribeModel(choice));
        schema["description"] = Models().Find(name)->help;
        schema["properties"]["model"] = Json{{"const", name}};
        schema["required"] = Json::array({"model"}); // a preset may hold the others
        choices.push_back(schema);
    }
    return Json{{"anyOf", choices}};
}

} // namespace

Codec<ModelChoice>
MakeModelChoiceCodec()
{
    Codec<ModelChoice> codec;
    codec.schema = MakeModelSchema();
    codec.read = &ReadModelChoice;
    codec.write = [](const ModelChoice& choice)
    {
        ModelChoice copy = choice;
        return WriteSection(DescribeModel(copy));
    };
    return codec;
}

Field
MakeGenerateField(std::optional<ModelChoice>& generate)
{
    return MakeOptionalField("generate",
                             generate,
                             MakeModelChoiceCodec(),
                             "a model whose training steps are generated: {model: NAME, ...}");
}

} // namespace nadi
