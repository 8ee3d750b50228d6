"""Random schemas in CUE, with values that fit them or nearly fit them."""
import json

NAMES = ['a', 'b', 'c', 'd', 'x-y']
WORDS = ['', 'a', 'ab', 'abc', 'xyz', 'x', 'é', 'foo bar']
INTEGERS = [-3, -1, 0, 1, 2, 5, 100, 4294967296]


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Generator:
    """Each method returns a schema and a function that makes a value for it."""

    def __init__(self, random):
        self.random = random
        self.definitions = {}

    def schema(self):
        self.definitions = {}
        names = ['#A', '#B', '#C'][:self.random.randint(0, 3)]
        samplers = {}
        for name in names:
            text, sample = self.struct(2, list(samplers), samplers)
            self.definitions[name], samplers[name] = text, sample
        text, sample = self.struct(3, names, samplers) if self.random.random() < 0.8 else self.value(3, names, samplers)
        lines = ['import "strings"'] if 'strings.' in text + ''.join(self.definitions.values()) else []
        lines += [f'{name}: {body}' for name, body in self.definitions.items()]
        return '\n'.join(lines + [f'#X: {text}']) + '\n', sample

    def value(self, depth, names, samplers):
        r = self.random
        kinds = ['scalar'] * 5 + ['constant'] * 2
        if depth > 0:
            kinds += ['struct'] * 3 + ['list'] * 2 + ['disjunction'] * 3 + ['conjunction']
            if names:
                kinds += ['reference'] * 3
        kind = r.choice(kinds)
        if kind == 'reference':
            name = r.choice(names)
            return name, samplers[name]
        if kind in ('scalar', 'constant'):
            return getattr(self, kind)()
        return getattr(self, kind)(depth - 1, names, samplers)

    def constant(self):
        r = self.random
        value = r.choice([None, True, False, r.choice(INTEGERS), 1.5, 0.25, r.choice(WORDS)])
        return json.dumps(value, ensure_ascii=False), lambda: value

    def scalar(self):
        r = self.random
        integer = lambda: r.choice(INTEGERS)
        number = lambda: r.choice(INTEGERS + [1.5, -0.25])
        word = lambda: r.choice(WORDS)
        bound = r.choice([-1, 0, 1, 2, 5])
        text = r.choice(['a', 'ab', 'x'])
        return r.choice([
            ('string', word), ('int', integer), ('number', number), ('float', lambda: r.choice([1.5, -0.25])),
            ('bool', lambda: r.choice([True, False])), ('null', lambda: None), ('_', lambda: r.choice([1, 'a', None, [], {}])),
            ('bytes', word), ('uint8', integer), ('int32', integer), ('uint', integer),
            (f'>={bound}', number), (f'< {bound}', number), (f'!={bound}', number), (f'int & >{bound}', integer),
            (f'>={bound} & <={bound + 3}', number), (f'int & >={bound} & <{bound + 2}', integer),
            ('!=""', word), ('string & !=""', word), (f'!={quoted(text)}', word), (f'>={quoted(text)}', word),
            ('!=null', lambda: r.choice([1, 'a', None, []])),
            (f'=~"^{text}"', word), (f'!~"{text}$"', word), ('=~"^[a-z]+$" & !="abc"', word),
            ('strings.MinRunes(2)', word), ('strings.MaxRunes(2) & !="x"', word),
        ])

    def struct(self, depth, names, samplers):
        r = self.random
        lines, fields = [], []
        for name in r.sample(NAMES, r.randint(0, 4)):
            text, sample = self.value(depth, names, samplers)
            optional = r.random() < 0.5
            label = quoted(name) if '-' in name else name
            lines.append(f'{label}{"?" if optional else ""}: {text}')
            fields.append((name, sample, optional))
        embedded = None
        if names and r.random() < 0.2:
            embedded = r.choice(names)
            lines.append(embedded)
        pattern = None
        if r.random() < 0.15:
            text, sample = self.value(0, names, samplers)
            label = r.choice(['string', '=~"^[ab]"', '=~"y$"'])
            lines.append(f'[{label}]: {text}')
            pattern = sample
        if r.random() < 0.2:
            lines.append('...')

        def make():
            value = samplers[embedded]() if embedded else {}
            if not isinstance(value, dict):
                value = {}
            for name, sample, optional in fields:
                if r.random() < (0.5 if optional else 0.95):
                    value[name] = sample()
            if pattern and r.random() < 0.5:
                value[r.choice(NAMES)] = pattern()
            if r.random() < 0.07:
                value[r.choice(NAMES + ['z'])] = r.choice([1, 'a', None, {}])
            return value
        body = '{' + ', '.join(lines) + '}'
        return (f'close({body})' if r.random() < 0.07 and not embedded else body), make

    def list(self, depth, names, samplers):
        r = self.random
        items = [self.value(depth, names, samplers) for _ in range(r.choice([0, 0, 1, 2]))]
        rest = self.value(depth, names, samplers) if not items or r.random() < 0.5 else None
        texts = [text for text, _ in items]
        if rest:
            texts.append('...' if r.random() < 0.1 else f'...({rest[0]})')

        def make():
            values = [sample() for _, sample in items]
            if rest:
                values += [rest[1]() for _ in range(r.randint(0, 3))]
            elif r.random() < 0.1:
                values.append(1)
            return values
        return '[' + ', '.join(texts) + ']', make

    def disjunction(self, depth, names, samplers):
        r = self.random
        parts = [self.value(depth, names, samplers) for _ in range(r.randint(2, 3))]
        marked = r.randrange(len(parts)) if r.random() < 0.3 else None
        # Marks are only used on alternatives that are not disjunctions: how nested marks combine has changed between versions of CUE.
        texts = [('*' if i == marked else '') + f'({text})' for i, (text, _) in enumerate(parts)]
        if marked is not None and any('*' in text for text, _ in parts):
            texts = [text.lstrip('*') for text in texts]
        return '(' + ' | '.join(texts) + ')', lambda: r.choice(parts)[1]()

    def conjunction(self, depth, names, samplers):
        r = self.random
        if names and r.random() < 0.5:
            name = r.choice(names)
            text, sample = self.struct(depth, [], {})

            def make():
                value = samplers[name]()
                if isinstance(value, dict) and r.random() < 0.7:
                    value.update(sample())
                return value
            return f'({name} & {text})', make
        left, sample = self.struct(depth, [], {})
        right, other = self.struct(depth, [], {})
        return f'({left} & {right})', lambda: {**sample(), **other()}
