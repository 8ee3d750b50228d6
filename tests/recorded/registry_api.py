"""The messages and calls of the registry's gRPC API, of its health and of reflection, for clients. Texts are fields of bytes: a catalog's
need not be UTF-8."""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2

# message: fields in the order of their numbers; "x" a text, "[x]" a list of texts, "x:M" a message, "[x]:M" a list of messages.
MESSAGES = {
    'Empty': '',
    'Deprecation': 'message',
    'Channel': 'name csvName deprecation:Deprecation',
    'PackageName': 'name',
    'Package': 'name [channels]:Channel defaultChannelName deprecation:Deprecation',
    'GroupVersionKind': 'group version kind plural',
    'Dependency': 'type value',
    'Property': 'type value',
    'Bundle': 'csvName packageName channelName csvJson [object] bundlePath [providedApis]:GroupVersionKind [requiredApis]:GroupVersionKind version '
              'skipRange [dependencies]:Dependency [properties]:Property replaces [skips] deprecation:Deprecation',
    'ChannelEntry': 'packageName channelName bundleName replaces',
    'GetPackageRequest': 'name',
    'GetBundleRequest': 'pkgName channelName csvName',
    'GetBundleInChannelRequest': 'pkgName channelName',
    'GetAllReplacementsRequest': 'csvName',
    'GetReplacementRequest': 'csvName pkgName channelName',
    'Providers': 'group version kind plural',
    'CustomSchemas': 'schema packageName',
    'HealthCheckRequest': 'service',
    'HealthCheckResponse': 'status#',
    'Service': 'name',
    'Services': '[service]:Service',
    # Numbers 3 to 7 of the real message are alternatives that are not asked for.
    'ReflectionAnswer': 'host request a b c services:Services error',
}
# method: its path, its request, its answer, whether it streams, whether the order of the stream counts
METHODS = {
    'ListPackages': ('/api.Registry/ListPackages', 'Empty', 'PackageName', True, False),
    'GetPackage': ('/api.Registry/GetPackage', 'GetPackageRequest', 'Package', False, True),
    'GetBundle': ('/api.Registry/GetBundle', 'GetBundleRequest', 'Bundle', False, True),
    'GetBundleForChannel': ('/api.Registry/GetBundleForChannel', 'GetBundleInChannelRequest', 'Bundle', False, True),
    'GetChannelEntriesThatReplace': ('/api.Registry/GetChannelEntriesThatReplace', 'GetAllReplacementsRequest', 'ChannelEntry', True, False),
    'GetBundleThatReplaces': ('/api.Registry/GetBundleThatReplaces', 'GetReplacementRequest', 'Bundle', False, True),
    'GetChannelEntriesThatProvide': ('/api.Registry/GetChannelEntriesThatProvide', 'Providers', 'ChannelEntry', True, False),
    'GetLatestChannelEntriesThatProvide': ('/api.Registry/GetLatestChannelEntriesThatProvide', 'Providers', 'ChannelEntry', True, False),
    'GetDefaultBundleThatProvides': ('/api.Registry/GetDefaultBundleThatProvides', 'Providers', 'Bundle', False, True),
    'ListBundles': ('/api.Registry/ListBundles', 'Empty', 'Bundle', True, True),
    'ExperimentalListPackageCustomSchemas': ('/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas', 'CustomSchemas', 'Struct', True, False),
    'Check': ('/grpc.health.v1.Health/Check', 'HealthCheckRequest', 'HealthCheckResponse', False, True),
    'Watch': ('/grpc.health.v1.Health/Watch', 'HealthCheckRequest', 'HealthCheckResponse', True, True),
    'List': ('/grpc.health.v1.Health/List', 'Empty', 'Empty', False, True),
    'NoSuchMethod': ('/api.Registry/NoSuchMethod', 'Empty', 'Empty', False, True),
    'NoSuchService': ('/api.NoSuchService/ListPackages', 'Empty', 'Empty', False, True),
    'ListServices': ('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'Empty', 'ReflectionAnswer', True, True),
    'ListServicesAlpha': ('/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', 'Empty', 'ReflectionAnswer', True, True),
}
LIST_SERVICES = b'\x3a\x00'  # a request of reflection: list_services


def _classes():
    types = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name='recorded.proto', package='recorded', syntax='proto3')
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, field in enumerate(fields.split(), 1):
            text, _, of = field.partition(':')
            kind = types.TYPE_MESSAGE if of else types.TYPE_INT64 if text.endswith('#') else types.TYPE_BYTES
            message.field.add(name=text.strip('[]#'), number=number, type=kind, type_name=f'.recorded.{of}' if of else None,
                              label=types.LABEL_REPEATED if text.startswith('[') else types.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(pool.FindMessageTypeByName(f'recorded.{name}')) for name in MESSAGES}


_CLASSES = _classes()


def encode(name, values):
    """A request. A text may be {"repeat": [text, times]}."""
    message = _CLASSES[name]()
    for field, value in values.items():
        if isinstance(value, dict):
            value = value['repeat'][0] * value['repeat'][1]
        if value is not None:
            setattr(message, field, value.encode('utf-8', 'surrogateescape'))
    return message.SerializeToString()


def decode(name, data):
    """A message as a dict with all its fields; messages that are missing are None."""
    if name == 'Struct':
        return plain(struct_pb2.Struct.FromString(data))
    return as_dict(_CLASSES[name].FromString(data))


def plain(value):
    """A Struct, or a value of one."""
    if isinstance(value, struct_pb2.Struct):
        return {key: plain(one) for key, one in value.fields.items()}
    kind = value.WhichOneof('kind')
    if kind == 'list_value':
        return [plain(one) for one in value.list_value.values]
    return plain(value.struct_value) if kind == 'struct_value' else None if kind == 'null_value' else getattr(value, kind)


def as_dict(message):
    def item(value):
        return value.decode('utf-8', 'surrogateescape') if isinstance(value, bytes) else value if isinstance(value, int) else as_dict(value)

    found = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.label == field.LABEL_REPEATED:
            found[field.name] = [item(one) for one in value]
        else:
            found[field.name] = None if field.message_type and not message.HasField(field.name) else item(value)
    return found
