"""Compares what tests/c/list.c prints with what Python's onnx reads. Development only.
usage: list_check.py LIST_PROGRAM MODEL..."""
import sys, subprocess, glob, onnx, numpy as np, os, struct
from onnx import numpy_helper as nh
P=onnx.TensorProto
def q(s):
    if isinstance(s,bytes): s=s.decode('utf8','surrogateescape')
    return '"'+s+'"'
def dom(d): return "" if d=="ai.onnx" else d
def typ(t):
    k=t.WhichOneof('value')
    def shape(x):
        if not x.HasField('shape'): return ''
        r=[]
        for d in x.shape.dim:
            w=d.WhichOneof('value')
            r.append(str(d.dim_value) if w=='dim_value' else q(d.dim_param) if w=='dim_param' and d.dim_param else '?')
        return ' ['+','.join(r)+']'
    if k is None: return 'none()'
    if k=='tensor_type': return f'tensor({t.tensor_type.elem_type}{shape(t.tensor_type)})'
    if k=='sparse_tensor_type': return f'sparse({t.sparse_tensor_type.elem_type}{shape(t.sparse_tensor_type)})'
    if k=='sequence_type': return f'seq( {typ(t.sequence_type.elem_type)})'
    if k=='optional_type': return f'optional( {typ(t.optional_type.elem_type)})'
    if k=='map_type': return f'map({t.map_type.key_type} {typ(t.map_type.value_type)})'
    return 'opaque()'
def num(v):
    return '%.9g'%v
def tens(t):
    if isinstance(t,onnx.SparseTensorProto):
        return f"tensor({t.values.data_type} [{','.join(map(str,t.dims))}] sparse)"
    s=f"tensor({t.data_type} [{','.join(map(str,t.dims))}]"
    if t.data_location==P.EXTERNAL:
        d={e.key:e.value for e in t.external_data}
        return s+f" external {q(d.get('location',''))} {int(d.get('offset',0))} {int(d.get('length',0))})"
    n=int(np.prod(t.dims,dtype=object)) if len(t.dims) else 1
    packed=max(len(t.raw_data), 4*len(t.float_data),8*len(t.double_data))
    def vl(v):
        v&=(1<<64)-1; return max(1,(v.bit_length()+6)//7)
    for f in (t.int32_data,t.int64_data,t.uint64_data):
        if len(f)>1025: packed=10**9
        else: packed=max(packed,sum(map(vl,f)))
    has=packed or len(t.string_data)
    if not has: return s+')'
    mis=''
    try:
        a=nh.to_array(t).reshape(-1)
    except Exception as e:
        return s+' misfit)' if packed>1024 else s+')'
    if packed>1024: return s+')'
    if t.data_type in (1,10,11,16): v=[num(float(x)) for x in a[:12]]
    elif t.data_type in (2,3,4,5,6,7,9,12,13,21,22,25,26): v=[str(int(x)) for x in a[:12]]
    else: v=[]
    return s+''.join(' '+x for x in v)+')'
def attr(a):
    s=f' {q(a.name)}:{a.type}='
    if a.ref_attr_name: return s+'ref '+q(a.ref_attr_name)
    T=a.type
    if T==1: return s+num(a.f)
    if T==2: return s+str(a.i)
    if T==3: return s+(q(a.s) if len(a.s)<=1024 else f'({len(a.s)} bytes)')
    if T==4: return s+str(tens(a.t))
    if T==11: return s+tens(a.sparse_tensor)
    if T==13: return s+typ(a.tp)
    if T==6: return s+str(len(a.floats))+(''.join(' '+num(x) for x in a.floats[:12]) if len(a.floats)<=1024 else '')
    if T==7: return s+str(len(a.ints))+(''.join(' '+str(x) for x in a.ints[:12]) if len(a.ints)<=1024 else '')
    if T==8: return s+str(len(a.strings))+(''.join(' '+q(x) for x in a.strings[:12]) if len(a.strings)<=1024 else '')
    if T==9: return s+str(len(a.tensors))
    if T==10: return s+str(len(a.graphs))
    if T==12: return s+str(len(a.sparse_tensors))
    if T==14: return s+str(len(a.type_protos))
    return s+'0'
def graph(g,path,outer,out,fn=False):
    out.append(f'graph {path} {q(g.name)}')
    own=set()
    ins=list(g.input) if fn else [i.name for i in g.input]
    own|=set(ins)
    inits=[] if fn else [(t.name,t) for t in g.initializer]+[(t.values.name,t) for t in g.sparse_initializer]
    own|={n for n,_ in inits}
    for n in g.node: own|=set(n.output)
    def sl(n):
        if not n: return ' -'
        if n in own: return ' '+q(n)
        for i,o in enumerate(outer):
            if n in o: return ' '+q(n)+'^'*(i+1)
        return ' '+q(n)+'!'
    for i in g.input:
        out.append(f'input {q(i)} none()' if fn else f'input {q(i.name)} {typ(i.type)}')
    for n,t in inits: out.append(f'initializer {q(n)} {tens(t)}')
    for i,n in enumerate(g.node):
        out.append(f'node {i} {q(n.name)} {q(dom(n.domain))} {q(n.op_type)} {q(n.overload)} in'+''.join(map(sl,n.input))+' out'+''.join(map(sl,n.output))+''.join(map(attr,n.attribute)))
    for o in g.output: out.append('output'+sl(o if fn else o.name))
    for v in list(g.value_info)+([] if fn else list(g.output)): out.append(f'info {q(v.name)} {typ(v.type)}')
    for i,n in enumerate(g.node):
        for a in n.attribute:
            if a.HasField('g'): graph(a.g,f'{path}/{i}.{a.name}',[own]+outer,out)
            for s in a.graphs: graph(s,f'{path}/{i}.{a.name}',[own]+outer,out)
def model(m):
    out=[f'model {m.ir_version} {q(m.producer_name)} {q(m.producer_version)}'+''.join(f' {q(dom(o.domain))}={o.version}' for o in m.opset_import)]
    if m.HasField('graph'): graph(m.graph,'',[],out)
    for i,f in enumerate(m.functions):
        out.append(f'function {q(dom(f.domain))} {q(f.name)} {q(f.overload)} attrs'+''.join(' '+q(x) for x in f.attribute)+''.join(map(attr,f.attribute_proto))+''.join(f' {q(dom(o.domain))}={o.version}' for o in f.opset_import))
        graph(f,f'function{i}',[],out,True)
    return out
bad=0; ok=0; unread=0
for p in sys.argv[2:]:
    for w in ('65536',) if os.path.getsize(p)>300000 else ('65536','7'):
        r=subprocess.run([sys.argv[1],p,w],capture_output=True,env={'ASAN_OPTIONS':'detect_leaks=0'})
        got=r.stdout.decode('utf8','surrogateescape').split('\n')[:-1]
        try: m=onnx.load_model(p,load_external_data=False)
        except Exception as e:
            unread+=1
            if w!='7': print('python cannot',p,type(e).__name__,'; ours:',got[:1],r.returncode)
            if r.returncode not in (0,1): bad+=1; print('CRASH',r.stderr[-2000:])
            continue
        want='\n'.join(model(m)).split('\n')
        got=[l.split(' misfit')[0]+')' if ' misfit' in l else l for l in got]; want=[l.replace(' misfit','') for l in want]
        if got!=want:
            bad+=1
            print('DIFF',p,w,len(got),len(want),r.stderr.decode()[-600:] if r.returncode not in(0,1) else '')
            k=0
            for a,b in zip(got,want):
                if a!=b:
                    print('  got ',a[:400]); print('  want',b[:400]); k+=1
                    if k>2: break
        else: ok+=1
print('ok',ok,'bad',bad,'unread',unread)
