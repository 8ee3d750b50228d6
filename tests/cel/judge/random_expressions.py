"""Random expressions of type bool that pass a type checker, over the properties of judge_test.py."""
import random

TYPES = ('bool', 'int', 'uint', 'double', 'string', 'list', 'map')


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = []  # (name, type)

    def pick(self, *choices):
        return self.random.choice(choices)

    def expression(self, kind, depth):
        names = [name for name, of in self.variables if of == kind]
        if names and self.random.random() < 0.3:
            return self.random.choice(names)
        if depth <= 0:
            return self.literal(kind)
        return getattr(self, kind + '_')(depth - 1)

    def literal(self, kind):
        return {
            'bool': lambda: self.pick('true', 'false'),
            'int': lambda: self.pick('0', '1', '2', '3', '-1', '7', '9223372036854775807'),
            'uint': lambda: self.pick('0u', '1u', '2u', '9000000000000000000u'),
            'double': lambda: self.pick('0.0', '1.0', '1.5', '-2.5', '1e3', '2.0'),
            'string': lambda: self.pick("''", "'a'", "'b'", "'ab'", "'Gizmo'", "'1.2.3'", "'é'", "'3'"),
            'list': lambda: self.pick('[5]', '[1]', '[1, 2, 3]', '[0, -1]'),
            'map': lambda: self.pick("{'a': 1}", "{'a': 1, 'b': 2}", "{'b': 0}"),
        }[kind]()

    def choice(self, kind, depth):
        return f"({self.expression('bool', depth)} ? {self.expression(kind, depth)} : {self.expression(kind, depth)})"

    def bool_(self, depth):
        def e(kind):
            return self.expression(kind, depth)
        what = self.random.randrange(16)
        if what < 3:
            return f"({e('bool')} {self.pick('&&', '||')} {e('bool')})"
        if what < 4:
            return f"!{e('bool')}"
        if what < 7:
            kind = self.pick('int', 'uint', 'double', 'string', 'bool')
            return f"({e(kind)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {e(kind)})"
        if what < 8:
            kind = self.pick(*TYPES)
            return f"({e(kind)} {self.pick('==', '!=')} {e(kind)})"
        if what < 9:
            a, b = self.pick('int', 'uint', 'double'), self.pick('int', 'uint', 'double', 'string')
            return f"(dyn({e(a)}) {self.pick('<', '==', '!=')} {e(b)})"
        if what < 10:
            return f"({e('int')} in {e('list')})"
        if what < 11:
            return f"({e('string')} in {e('map')})"
        if what < 12:
            return f"{e('string')}.{self.pick('contains', 'startsWith', 'endsWith')}({e('string')})"
        if what < 13:
            return f"has({e('map')}.{self.pick('a', 'b', 'c')})"
        if what < 14:
            return f"{e('list')}.{self.pick('all', 'exists', 'exists_one')}({self.bound('int', 'bool', depth)})"
        if what < 15:
            return f"properties.{self.pick('all', 'exists', 'exists_one')}({self.bound('property', 'bool', depth)})"
        return self.choice('bool', depth)

    def bound(self, variable, result, depth):
        name = f'x{len(self.variables)}'
        if variable == 'property':
            return name + ', ' + self.about_property(name, result, depth)
        self.variables.append((name, variable))
        text = f'{name}, {self.expression(result, depth)}'
        self.variables.pop()
        return text

    def about_property(self, name, result, depth):
        test = self.pick(f"{name}.type == {self.literal('string')}", f"{name}.type == 'level'", f"{name}.type == 'olm.gvk'",
                         f"{name}.value == {self.literal(self.pick('int', 'double', 'string', 'bool'))}",
                         f"{name}.value.kind == 'Gizmo'", f"({name}.type != 'tags' && has({name}.value.kind))", f"'b' in {name}.value",
                         f"{name}.value > {self.literal(self.pick('int', 'double', 'string'))}")
        if depth <= 0:
            return test
        return f"({test} {self.pick('&&', '||')} {self.expression(result, depth - 1)})"

    def int_(self, depth):
        def e(kind):
            return self.expression(kind, depth)
        return self.pick(lambda: f"({e('int')} {self.pick('+', '-', '*', '/', '%')} {e('int')})",
                         lambda: f"size({e(self.pick('string', 'list', 'map'))})",
                         lambda: f"{e('list')}[{e('int')}]",
                         lambda: f"{e('map')}[{e('string')}]",
                         lambda: 'int(' + self.pick(e('uint'), e('double'), "'42'", "'-7'", "'x'", "'1.5'") + ')',
                         lambda: f"-({e('int')})",
                         lambda: f"semver_compare({e('string')}, {e('string')})",
                         lambda: self.choice('int', depth))()

    def uint_(self, depth):
        return self.pick(lambda: f"({self.expression('uint', depth)} {self.pick('+', '-', '*', '/', '%')} {self.expression('uint', depth)})",
                         lambda: f"uint({self.expression('int', depth)})",
                         lambda: self.choice('uint', depth))()

    def double_(self, depth):
        return self.pick(lambda: f"({self.expression('double', depth)} {self.pick('+', '-', '*', '/')} {self.expression('double', depth)})",
                         lambda: f"double({self.expression('int', depth)})",
                         lambda: self.choice('double', depth))()

    def string_(self, depth):
        return self.pick(lambda: f"({self.expression('string', depth)} + {self.expression('string', depth)})",
                         lambda: f"string({self.expression(self.pick('int', 'bool', 'uint'), depth)})",
                         lambda: self.choice('string', depth))()

    def list_(self, depth):
        def e(kind):
            return self.expression(kind, depth)
        return self.pick(lambda: f"({e('list')} + {e('list')})",
                         lambda: f"[{e('int')}, {e('int')}]",
                         lambda: f"{e('list')}.map({self.bound('int', 'int', depth)})",
                         lambda: f"{e('list')}.filter({self.bound('int', 'bool', depth)})",
                         lambda: self.choice('list', depth))()

    def map_(self, depth):
        return self.pick(lambda: "{%s: %s}" % (self.expression('string', depth), self.expression('int', depth)),
                         lambda: self.choice('map', depth))()


def expressions(count):
    return [Writer(seed).expression('bool', 4) for seed in range(count)]
