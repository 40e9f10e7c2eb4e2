// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/generate-section.h"

#include "configuration/component-codec.h"
#include "workload/model-preset.h"

namespace nadi
{

namespace
{

std::vector<ComponentPreset>
FindModelPresets(const std::string& model)
{
    std::vector<ComponentPreset> presets;
    for (const ModelPreset& preset : AllModelPresets())
    {
        if (preset.model == model)
        {
            presets.push_back({preset.name, preset.parameters});
        }
    }
    return presets;
}

} // namespace

Codec<ComponentChoice>
MakeModelChoiceCodec()
{
    ComponentKind kind = MakeRegisteredKind<WorkloadModel>("workload model", "model");
    kind.presets = &FindModelPresets;
    return MakeComponentCodec(kind, ComponentForm::Mapping);
}

Field
MakeGenerateField(std::optional<ComponentChoice>& generate)
{
    return WithExample(MakeOptionalField("generate",
                                         generate,
                                         MakeModelChoiceCodec(),
                                         "A model whose training steps are generated: {model: "
                                         "NAME, preset: NAME, <parameters>}."),
                       {{"model", "resnet-50"}, {"batch", 256}});
}

} // namespace nadi
